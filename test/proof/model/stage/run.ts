/**
 * Every scenario up to its bounds, or every protection switched off, as a table:
 * `node --conditions=lineclear:source test/proof/model/stage/run.ts [scenarios|mutations] [part of a name] [most states]`
 */
import { print, tableOf, traceOf } from '../report.ts'
import { explore } from './explore.ts'
import { exploreWithout, MUTATION_HEAD, mutationRow, rowOf, SCENARIO_HEAD } from './findings.ts'
import { MUTATIONS } from './mutations.ts'
import { shipped } from './protocol.ts'
import { SCENARIOS } from './scenarios.ts'

const [what = 'scenarios', part = '', most = ''] = process.argv.slice(2)

if (what === 'scenarios') {
  const rows = [SCENARIO_HEAD]
  for (const scenario of SCENARIOS.filter(({ name }) => name.includes(part))) {
    const limit = most === '' ? scenario.limit : Number(most)
    const start = performance.now()
    const report = explore({ ...scenario, limit }, shipped)
    const row = rowOf(scenario, report, performance.now() - start)
    rows.push(row)
    print([row.join(' · '), traceOf(report)].join('\n').trimEnd())
  }
  print(tableOf(rows))
} else {
  const rows = [MUTATION_HEAD]
  for (const mutation of MUTATIONS.filter(({ name }) => name.includes(part))) {
    const report = exploreWithout(mutation)
    rows.push(mutationRow(mutation, report))
    print(
      `\nwithout '${mutation.name}', ${mutation.scenario}: ${traceOf(report) || 'nothing breaks'}`,
    )
  }
  print(tableOf(rows))
}
