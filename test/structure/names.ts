/** Texts of source files by their paths. */
export type Files = ReadonlyMap<string, string>

const DECLARATION =
  /^export (?:async |declare |abstract )*(?:function\*?|const|class|interface|type|enum) (\w+)/gm

/** @returns exported names that more than one file declares, each with its files */
export function sharedNames(files: Files): ReadonlyMap<string, readonly string[]> {
  const declared = new Map<string, Set<string>>()
  for (const [file, text] of files) {
    for (const [, name = ''] of text.matchAll(DECLARATION)) {
      declared.set(name, (declared.get(name) ?? new Set()).add(file))
    }
  }
  return new Map(
    [...declared].flatMap(([name, all]) => (all.size > 1 ? [[name, [...all]] as const] : [])),
  )
}
