import type { Difference } from './conform.ts'
import { deadRunState, recordState, stageWorker, type ToldStage, verdictOfStage } from './stage.ts'
import type { Say, State } from './tla/explore.ts'
import { asRow, at, textOf, type Value } from './tla/values.ts'

/** Asks the code in each state what a worker of the module decides there; once for each record, dead run and worker. */
export class ConformStage {
  readonly differences: Difference[] = []
  /** How often each verdict was compared. */
  readonly compared: Map<string, number> = new Map()
  readonly #told: ToldStage
  readonly #asked = new Set<string>()

  constructor(told: ToldStage) {
    this.#told = told
  }

  readonly visit = (state: State, say: Say): void => {
    const [record, deadRuns, workers] = ['record', 'deadRuns', 'worker'].map((name) =>
      state.get(name),
    )
    if (record === undefined || deadRuns === undefined || workers === undefined) return
    for (const worker of asRow(workers).values) {
      if (at(worker, 'pc') !== 'decide') continue
      const dead = at(deadRuns, at(at(worker, 'message'), 'request'))
      const key = [record, dead, worker].map((each) => asRow(each).id).join(' ')
      if (this.#asked.has(key)) continue
      this.#asked.add(key)
      this.#compare(record, dead, worker, say)
    }
  }

  #compare(record: Value, dead: Value, worker: Value, say: Say): void {
    const verdict = say('Verdict', record, at(worker, 'message'), at(worker, 'id'))
    const told = this.#told
    const code = verdictOfStage(recordState(record), deadRunState(dead), stageWorker(worker), told)
    if (typeof verdict !== 'string') throw new Error('a verdict is one word')
    this.compared.set(verdict, (this.compared.get(verdict) ?? 0) + 1)
    if (verdict === code) return
    const where = [record, dead, worker].map(textOf).join(', ')
    this.differences.push({ of: 'Verdict', module: verdict, code, in: where })
  }
}
