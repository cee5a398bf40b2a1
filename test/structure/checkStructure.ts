import { basename, dirname, join } from 'node:path/posix'
import { cycles, type Graph } from './cycles.ts'
import { type Import, readSource, type Source } from './readSource.ts'
import { CLOCK_READERS, EVERYWHERE, type Room, ROOMS } from './rooms.ts'

/** The text of each file, by its path from `src`. */
export type Tree = ReadonlyMap<string, string>

interface Place {
  readonly room: Room
  readonly row: number
}

const CLOCK: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'the date of now',
])
const PLACES: readonly Place[] = ROOMS.flatMap((rooms, row) => rooms.map((room) => ({ room, row })))

/** @returns a sentence for each breach of the rules in rooms.ts */
export function checkStructure(tree: Tree): string[] {
  const sources = new Map([...tree].map(([file, text]) => [file, sourceOf(text, file)] as const))
  return [
    ...missing(tree),
    ...[...sources].flatMap(([file, source]) => [
      ...wrongImports(file, source),
      ...wrongClock(file, source),
      ...(isPure(file) ? impurities(file, source) : []),
    ]),
    ...circles('files', sources, (file) => file),
    ...circles('folders', sources, folderOf),
  ]
}

const read = new Map<string, Source>()

/** What the same text says is read once: the tests check all of `src` once for each planted file. */
function sourceOf(text: string, file: string): Source {
  const key = `${file}\n${text}`
  const source = read.get(key) ?? readSource(text, file)
  read.set(key, source)
  return source
}

function missing(tree: Tree): string[] {
  const folders = new Set([...tree.keys()].map((file) => dirname(file)))
  const unlisted = [...tree.keys()].filter((file) => placeOf(file) === undefined)
  const gone = PLACES.flatMap(({ room: { path, pure } }) => [
    ...([...tree.keys()].some((file) => isIn(file, path)) ? [] : [path]),
    ...(typeof pure === 'object' ? pure.except : [])
      .map((name) => join(path, name))
      .filter((file) => !tree.has(file) && folders.has(path)),
  ])
  return [
    ...unlisted.map((file) => `${file}: its folder is missing in the list of rooms`),
    ...gone.map((path) => `${path}: it is in the list of rooms, and does not exist`),
  ]
}

function wrongImports(file: string, { imports }: Source): string[] {
  const place = placeOf(file)
  if (place === undefined) return []
  return imports.flatMap((found) => {
    const target = targetOf(file, found)
    const wrong =
      target === undefined ? wrongPackage(place.room, found) : wrongWay(place, placeOf(target))
    return wrong === undefined ? [] : [`${file} imports ${target ?? found.from}: ${wrong}`]
  })
}

function wrongWay(from: Place, to: Place | undefined): string | undefined {
  if (to === undefined || to.row < from.row || to.room === from.room) return undefined
  if (to.row > from.row) return `${nameOf(to)} stands after ${nameOf(from)} in the list`
  if (isIn(to.room.path, from.room.path) || isIn(from.room.path, to.room.path)) return undefined
  return `${nameOf(from)} and ${nameOf(to)} do not know each other`
}

function wrongPackage({ packages = [], path }: Room, { from, isType }: Import): string | undefined {
  if (/^lineclear(\/|$)/.test(from)) return 'the source imports its own files by relative path'
  if (isType || packages === 'any' || EVERYWHERE.includes(from) || packages.includes(from)) return
  return `${path} does not load this package`
}

function wrongClock(file: string, { globals }: Source): string[] {
  if (CLOCK_READERS.some((path) => isIn(file, path))) return []
  return globals
    .filter((name) => CLOCK.has(name))
    .map((name) => `${file} reads ${name}: time and randomness are handed in`)
}

function impurities(file: string, source: Source): string[] {
  const loaded = source.imports.filter(({ isType }) => !isType)
  const acting = loaded
    .map((found) => targetOf(file, found))
    .filter((target) => target !== undefined && !isPure(target))
  const random = loaded.filter(({ from }) => from === 'node:crypto').flatMap(({ names }) => names)
  return [
    ...source.globals.filter((name) => !CLOCK.has(name)).map((name) => `reads ${name}`),
    ...acting.map((target) => `imports ${target}, which acts`),
    ...random.filter((name) => /^(\*|random)/.test(name)).map((name) => `imports ${name}`),
    ...(source.waits ? ['is asynchronous'] : []),
  ].map((what) => `${file} ${what}: it is pure by the list of rooms`)
}

function isPure(file: string): boolean {
  const { pure, path } = placeOf(file)?.room ?? { path: '' }
  if (pure === undefined) return false
  return pure === true || !pure.except.some((name) => join(path, name) === file)
}

function circles(
  what: string,
  sources: ReadonlyMap<string, Source>,
  nodeOf: (file: string) => string,
): string[] {
  const graph: Graph = new Map()
  for (const [file, { imports }] of sources) {
    const from = nodeOf(file)
    const arrows = graph.get(from) ?? new Map<string, string>()
    graph.set(from, arrows)
    for (const found of imports) {
      const target = targetOf(file, found)
      if (target === undefined || nodeOf(target) === from) continue
      arrows.set(nodeOf(target), `${file} → ${target}`)
    }
  }
  return cycles(graph).map((arrows) => `a cycle of ${what}: ${arrows.join(', ')}`)
}

/** A file that the list names stands for itself, and so does a door. */
function folderOf(file: string): string {
  const isAlone = basename(file) === 'index.ts' || PLACES.some(({ room }) => room.path === file)
  return isAlone ? file : dirname(file)
}

function targetOf(file: string, { from }: Import): string | undefined {
  return from.startsWith('.') ? join(dirname(file), from) : undefined
}

const places = new Map<string, Place | undefined>()

/** The nearest room around a file; '.' holds only the files at the top. */
function placeOf(file: string): Place | undefined {
  if (!places.has(file)) {
    const around = PLACES.filter(({ room }) => isIn(file, room.path))
    places.set(file, around.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0])
  }
  return places.get(file)
}

function lengthOf({ room }: Place): number {
  return room.path.length
}

function isIn(file: string, path: string): boolean {
  return path === '.' ? !file.includes('/') : file === path || file.startsWith(`${path}/`)
}

function nameOf({ room }: Place): string {
  return room.path === '.' ? 'the top of src' : room.path
}
