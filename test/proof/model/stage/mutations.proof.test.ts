import { afterAll, describe, expect, it } from 'vitest'
import { isProof, sampled } from '../../depth.ts'
import { print, showsTraces, tableOf, traceOf } from '../report.ts'
import { exploreWithout, isDeep, MUTATION_HEAD, mutationRow } from './findings.ts'
import { MUTATIONS } from './mutations.ts'

const rows = [MUTATION_HEAD]
const HOUR = 3_600_000
const BREAKING = MUTATIONS.filter(({ breaks, slow }) => breaks !== undefined && (isDeep || !slow))
const SAMPLE = sampled(BREAKING, 8).filter(({ long }) => isProof || !long)
const HARMLESS = MUTATIONS.filter(({ breaks }) => breaks === undefined)

/** A check that cannot fail proves nothing: without one of its parts the protocol must break, or it must be said why not. */
describe('stage records, each protection switched off', () => {
  it.each(SAMPLE)(
    '$name: $breaks',
    (mutation) => {
      const report = exploreWithout(mutation)
      rows.push(mutationRow(mutation, report))
      if (showsTraces) print(`\nwithout '${mutation.name}': ${traceOf(report)}`)
      expect(report.violation?.slice(0, 2)).toBe(mutation.breaks)
      expect(report.trace).not.toHaveLength(0)
    },
    HOUR,
  )

  it.each(sampled(HARMLESS, 4))(
    '$name: nothing breaks, for the reason given',
    (mutation) => {
      const report = exploreWithout(mutation)
      rows.push(mutationRow(mutation, report))
      expect(traceOf(report)).toBe('')
      expect(mutation.because).toBeDefined()
    },
    HOUR,
  )

  afterAll(() => print(tableOf(rows)))
})
