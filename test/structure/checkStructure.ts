import { basename, dirname, join } from 'node:path/posix'
import { cycles, type Graph } from './cycles.ts'
import { type Import, readSource, type Source } from './readSource.ts'
import { EVERYWHERE, type Room } from './rooms.ts'

/** The text of each file, by its path from `src`. */
export type Tree = ReadonlyMap<string, string>

/** The rules of rooms.ts, or those of a test. */
export interface House {
  readonly rooms: readonly (readonly Room[])[]
  readonly clockReaders: readonly string[]
}

interface Place {
  readonly room: Room
  readonly row: number
}

type PlaceOf = (file: string) => Place | undefined

interface Marked extends Source {
  /** What the file says of itself: that it acts, and that it is one of those that read the clock. */
  readonly acts: boolean
  readonly readsClock: boolean
}

type Sources = ReadonlyMap<string, Marked>

const CLOCK: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'the date of now',
])

/** @returns a sentence for each breach of the rules */
export function checkStructure(tree: Tree, { rooms, clockReaders }: House): string[] {
  const places = rooms.flatMap((each, row) => each.map((room) => ({ room, row })))
  const placeOf = placesIn(places)
  const sources: Sources = new Map([...tree].map(([file, text]) => [file, marked(text, file)]))
  return [
    ...missing(tree, places, placeOf),
    ...[...sources].flatMap(([file, source]) => [
      ...wrongImports(file, source, placeOf),
      ...(clockReaders.some((path) => isIn(file, path)) ? [] : wrongClock(file, source)),
      ...wrongActs(file, source, sources, placeOf),
    ]),
    ...circles('files', sources, (file) => file),
    ...circles('folders', sources, (file) => folderOf(file, places)),
    ...siblingCircles(sources),
  ]
}

const MARK = /^\/\/ @acts(, and reads the clock)?$/m

function marked(text: string, file: string): Marked {
  const [line = ''] = text.split('\n')
  const mark = MARK.exec(line)
  return { ...readSource(text, file), acts: mark !== null, readsClock: mark?.[1] !== undefined }
}

function missing(tree: Tree, places: readonly Place[], placeOf: PlaceOf): string[] {
  const files = [...tree.keys()]
  const unlisted = files.filter((file) => placeOf(file) === undefined)
  const gone = places
    .map(({ room }) => room.path)
    .filter((path) => !files.some((file) => isIn(file, path)))
  return [
    ...unlisted.map((file) => `${file}: its folder is missing in the list of rooms`),
    ...gone.map((path) => `${path}: it is in the list of rooms, and does not exist`),
  ]
}

function wrongImports(file: string, { imports }: Source, placeOf: PlaceOf): string[] {
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

function wrongClock(file: string, { globals, readsClock }: Marked): string[] {
  if (readsClock) return []
  return globals
    .filter((name) => CLOCK.has(name))
    .map((name) => `${file} reads ${name}: time and randomness are handed in`)
}

function wrongActs(file: string, source: Marked, sources: Sources, placeOf: PlaceOf): string[] {
  const isPureRoom = placeOf(file)?.room.pure === true
  if (source.acts && !isPureRoom) return [`${file} says @acts, and its room is not pure`]
  if (!isPureRoom) return []
  const acts = actsOf(file, source, (target) => {
    const isMarked = sources.get(target)?.acts === true
    return isMarked || placeOf(target)?.room.pure !== true
  })
  if (source.acts) {
    // A package may act: it is only by its name that `node:fs` does.
    const mayAct = acts.length > 0 || source.imports.some((found) => isLoadedPackage(found))
    return mayAct ? [] : [`${file} says @acts, and only computes`]
  }
  return acts.map((what) => `${file} ${what}: it is pure by the list of rooms`)
}

function isLoadedPackage({ from, isType }: Import): boolean {
  return !isType && !from.startsWith('.') && !EVERYWHERE.includes(from)
}

function actsOf(file: string, source: Source, acts: (target: string) => boolean): string[] {
  const loaded = source.imports.filter(({ isType }) => !isType)
  const acting = loaded
    .map((found) => targetOf(file, found))
    .filter((target) => target !== undefined && acts(target))
  const random = loaded.filter(({ from }) => from === 'node:crypto').flatMap(({ names }) => names)
  return [
    ...source.globals.filter((name) => !CLOCK.has(name)).map((name) => `reads ${name}`),
    ...acting.map((target) => `imports ${target}, which acts`),
    ...random.filter((name) => /^(\*|random)/.test(name)).map((name) => `imports ${name}`),
    ...(source.waits ? ['is asynchronous'] : []),
  ]
}

function circles(what: string, sources: Sources, nodeOf: (file: string) => string): string[] {
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

/** At every depth, what lies side by side in a folder: files, and folders with all that is below them. */
function siblingCircles(sources: Sources): string[] {
  const graphs = new Map<string, Graph>()
  for (const [file, { imports }] of sources) {
    for (const found of imports) {
      const target = targetOf(file, found)
      if (target !== undefined && target !== file) addSiblings(graphs, file, target)
    }
  }
  return [...graphs].flatMap(([folder, graph]) =>
    cycles(graph).map((arrows) => `a cycle in ${folder || 'src'}: ${arrows.join(', ')}`),
  )
}

function addSiblings(graphs: Map<string, Graph>, file: string, target: string): void {
  const [one, other] = [file.split('/'), target.split('/')]
  const depth = one.findIndex((name, nth) => name !== other[nth])
  const folder = one.slice(0, depth).join('/')
  const graph: Graph = graphs.get(folder) ?? new Map()
  graphs.set(folder, graph)
  const from = one[depth] ?? ''
  const arrows = graph.get(from) ?? new Map<string, string>()
  graph.set(from, arrows)
  arrows.set(other[depth] ?? '', `${file} → ${target}`)
}

/** A file that the list names stands for itself, and so does a door. */
function folderOf(file: string, places: readonly Place[]): string {
  const isAlone = basename(file) === 'index.ts' || places.some(({ room }) => room.path === file)
  return isAlone ? file : dirname(file)
}

function targetOf(file: string, { from }: Import): string | undefined {
  return from.startsWith('.') ? join(dirname(file), from) : undefined
}

/** The nearest room around a file; '.' holds only the files at the top. */
function placesIn(places: readonly Place[]): PlaceOf {
  const found = new Map<string, Place | undefined>()
  return (file) => {
    if (!found.has(file)) {
      const around = places.filter(({ room }) => isIn(file, room.path))
      found.set(file, around.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0])
    }
    return found.get(file)
  }
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
