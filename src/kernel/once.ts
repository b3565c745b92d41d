// Makes a value the first time it is asked for. Schemas cost time to build, and a command uses only a few of them.

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
