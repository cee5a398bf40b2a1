import type { Work } from './incomingRecord.ts'

/** Records of one line run one after the other: of each line one is on its way, and the others wait, read already. */
export interface Lines {
  /** True: it is the first of its line. False: it waits. */
  enter(work: Work): boolean
  /** The next of each line that has one. */
  next(): readonly Work[]
}

export function openLines(lineOf: (work: Work) => string): Lines {
  const lines = new Map<string, { waiting: Work[]; done: number }>()
  return {
    enter(work) {
      const name = lineOf(work)
      const line = lines.get(name)
      if (line === undefined) lines.set(name, { waiting: [], done: 0 })
      else line.waiting.push(work)
      return line === undefined
    },
    next() {
      const due: Work[] = []
      for (const [name, line] of lines) {
        const work = line.waiting[line.done]
        line.done += 1
        if (work === undefined) lines.delete(name)
        else due.push(work)
      }
      return due
    },
  }
}
