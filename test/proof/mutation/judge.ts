import { readFileSync } from 'node:fs'
import { type Mark, marksIn } from './mark.ts'
import { type Found, identify, type Mutant, nameOf } from './mutant.ts'

export interface Tested extends Found {
  readonly status: string
  /** It is run while a module loads. */
  readonly static?: boolean
}

export interface RoomReport {
  readonly room: string
  readonly mutants: number
  readonly killed: number
  readonly explained: number
  /** They survive, and no mark above their line explains as many. */
  readonly unexplained: readonly Mutant[]
  /** Marks of more mutants than survive. */
  readonly outdated: readonly MarkInFile[]
}

export interface MarkInFile extends Mark {
  readonly file: string
}

/** A mutant that hangs, or does not load, is noticed by every test run. */
const KILLED = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError'])

/** @param room its name */
export function judge(room: string, tested: readonly Tested[]): RoomReport {
  const alive = tested.filter(({ status }) => !KILLED.has(status)).map(identify)
  const marks = [...new Set(tested.map(({ fileName }) => fileName))].flatMap(marksOf)
  const marked = countsOf(marks, ({ count }) => count)
  const survive = countsOf(alive, () => 1)
  const left = alive.filter((each) => countAt(survive, each) > countAt(marked, each))
  return {
    room,
    mutants: tested.length,
    killed: tested.length - alive.length,
    explained: alive.length - left.length,
    unexplained: left,
    outdated: outdated(marks, [...alive, ...slow(tested)]),
  }
}

function marksOf(fileName: string): readonly MarkInFile[] {
  const marks = marksIn(readFileSync(fileName, 'utf8'))
  return marks.map((mark) => ({ ...mark, file: nameOf(fileName) }))
}

/** On a busy machine a mutant that changes nothing may reach the time limit: that does not count against its mark. */
function slow(tested: readonly Tested[]): readonly Mutant[] {
  return tested.filter(({ status }) => status === 'Timeout').map(identify)
}

function outdated(
  marks: readonly MarkInFile[],
  standing: readonly Mutant[],
): readonly MarkInFile[] {
  const counts = countsOf(standing, () => 1)
  return marks.filter((mark) => countAt(counts, mark) < mark.count)
}

type At = Pick<Mutant, 'file' | 'line' | 'mutator'>

const placeOf = ({ file, line, mutator }: At): string => `${file}:${line} ${mutator}`

function countsOf<Each extends At>(
  all: readonly Each[],
  countOf: (each: Each) => number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const each of all) counts.set(placeOf(each), countAt(counts, each) + countOf(each))
  return counts
}

function countAt(counts: ReadonlyMap<string, number>, at: At): number {
  return counts.get(placeOf(at)) ?? 0
}
