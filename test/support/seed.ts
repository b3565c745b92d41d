// Property tests draw the same cases at every run, so that a red run is about the change. ENGRAM_TEST_SEED=N draws others.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.ENGRAM_TEST_SEED ?? 20261115) });
