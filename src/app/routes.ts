// Every HTTP route the program offers.
import { memoryRoutes } from "../memories/wire/http.ts";
import type { AnyHttpBinding } from "../registry/http.ts";
import { appRoutes } from "./operations.ts";

export const routes: AnyHttpBinding[] = [...appRoutes, ...memoryRoutes];
