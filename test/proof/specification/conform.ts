import { isDeepStrictEqual } from 'node:util'
import { plain } from './plain.ts'
import type { Say, State } from './tla/explore.ts'
import { asGroup, asRow, at, textOf, type Value } from './tla/values.ts'
import { type Told, tokenState, tokenWorker, verdictOfToken, writtenToken } from './token.ts'

/** What the module says, where the code says something else. */
export interface Difference {
  readonly of: string
  readonly module: string
  readonly code: string
  readonly in: string
}

/**
 * Asks the code in each state what the module says there: what a worker decides, and whether and how its write changes the token. It is
 * asked once for each token and worker.
 */
export class Conform {
  readonly differences: Difference[] = []
  /** How often each decision and write was compared. */
  readonly compared: Map<string, number> = new Map()
  readonly #told: Told
  readonly #asked = new Set<string>()

  constructor(told: Told) {
    this.#told = told
  }

  readonly visit = (state: State, say: Say): void => {
    const token = state.get('token')
    const [workers, late] = [state.get('worker'), state.get('late')]
    if (token === undefined || workers === undefined || late === undefined) return
    for (const worker of [...asRow(workers).values, ...asGroup(late).members]) {
      const key = `${asRow(token).id} ${asRow(worker).id}`
      if (this.#asked.has(key)) continue
      this.#asked.add(key)
      this.#compare(token, worker, say)
    }
  }

  #compare(token: Value, worker: Value, say: Say): void {
    const { pc } = tokenWorker(worker)
    const [state, given] = [tokenState(token), tokenWorker(worker)]
    const note = (of: string, module: unknown, code: unknown): void => {
      this.compared.set(of, (this.compared.get(of) ?? 0) + 1)
      if (isDeepStrictEqual(module, code)) return
      const where = `${textOf(token)}, ${textOf(worker)}`
      this.differences.push({ of, module: inWords(module), code: inWords(code), in: where })
    }
    if (pc === 'decide') {
      const verdict = say('Verdict', token, at(worker, 'message'), at(worker, 'id'))
      note(textOf(verdict), verdict, verdictOfToken(state, given, this.#told))
    } else if (asGroup(say('Claims')).members.includes(pc) || isOwned(say, pc)) {
      const isMade = say('Holds', token, worker) === true
      const written = isMade ? plain(say('Written', token, worker)) : undefined
      note(
        isMade ? `writes ${pc}` : `refuses ${pc}`,
        written,
        writtenToken(state, given, this.#told),
      )
    }
  }
}

function isOwned(say: Say, pc: string): boolean {
  return asGroup(say('Owned')).members.includes(pc)
}

function inWords(value: unknown): string {
  return value === undefined ? 'refused' : JSON.stringify(value)
}
