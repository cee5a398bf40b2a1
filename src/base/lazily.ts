/**
 * Makes a value on its first use, and keeps it. A failure is not kept, so the next use tries again. With `import(…)` as `make`, a
 * bundler that splits makes a file of its own of the module.
 */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    if (made === undefined) {
      made = make()
      made.catch(() => {
        made = undefined
      })
    }
    return made
  }
}
