// Every route of the room.
import type { AnyHttpBinding } from "../../registry/http.ts";
import { observationRoutes } from "./http-observations.ts";
import { sessionRoutes } from "./http-sessions.ts";
import { storeRoutes } from "./http-store.ts";

export const memoryRoutes: AnyHttpBinding[] = [...sessionRoutes, ...observationRoutes, ...storeRoutes];
