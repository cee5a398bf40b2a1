import { dirname, join, normalize } from 'node:path/posix'

/** The text of each file, by its path from the root of the package. */
export type Files = ReadonlyMap<string, string>

const DECLARED =
  /^export (?:abstract |async )*(?:function\*?|const|class|interface|type) (\w+)(?=[\s<(:=])/gm
const IMPORTED = /^(?:import|export) (?:type )?(\*(?: as \w+)?|\{[^}]*\}) from '(\.[^']+)'/gm
const IN_PLACE = /\bimport\('(\.[^']+)'\)/g

/**
 * A sentence for each export of `src` that nothing imports: no other file of `src`, no entry of the package, and no test but
 * those of its own room and the proofs, which look inside. What only another room's test needs belongs into that test.
 * @param entries files whose exports are the package's own
 */
export function unusedExports(files: Files, entries: readonly string[]): string[] {
  const users = usersOf(files)
  return [...files]
    .filter(([file]) => file.startsWith('src/') && !entries.includes(file))
    .flatMap(([file, text]) =>
      [...text.matchAll(DECLARED)]
        .map(([, name = '']) => name)
        .filter(
          (name) =>
            !isUsed(file, [
              ...(users.get(`${file} ${name}`) ?? []),
              ...(users.get(`${file} *`) ?? []),
            ]),
        )
        .map((name) => `${file} exports ${name}, which nothing imports`),
    )
}

function isUsed(file: string, users: readonly string[]): boolean {
  const rooms = file.split('/').slice(1)
  const from = [
    'src/',
    'test/proof/',
    ...rooms.map((room) => `test/${room.replace('.ts', '.test.ts')}`),
  ]
  return users.some((user) => from.some((each) => user.startsWith(each)))
}

/** Who imports a name, by `<file> <name>`; `*` where all names of a file are taken. */
function usersOf(files: Files): ReadonlyMap<string, readonly string[]> {
  const users = new Map<string, string[]>()
  const add = (user: string, from: string, name: string): void => {
    const key = `${normalize(join(dirname(user), from))} ${name}`
    users.set(key, [...(users.get(key) ?? []), user])
  }
  for (const [user, text] of files) {
    for (const [, names = '', from = ''] of text.matchAll(IMPORTED)) {
      for (const name of namesIn(names)) add(user, from, name)
    }
    for (const [, from = ''] of text.matchAll(IN_PLACE)) add(user, from, '*')
  }
  return users
}

function namesIn(list: string): readonly string[] {
  if (list.startsWith('*')) return ['*']
  const items = list.replaceAll(/[{}]/g, '').split(',')
  return items
    .map(
      (item) =>
        item
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0] ?? '',
    )
    .filter(Boolean)
}
