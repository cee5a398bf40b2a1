import { ceilingsAt, type Load } from '../../../src/tools/doctor/ceilings.ts'
import type { Part } from '../measured.ts'

const DAY = 86_400_000
const RATES = [1, 10, 100, 1_000, 10_000, 100_000] as const
/** What records a second ask of AWS, from the write units that are counted here and the limits that AWS has documented. */
export const limits: Part = {
  name: 'limits',
  title: 'from 1 to 100,000 records a second (computed)',
  async measure() {
    const rows = RATES.map((rate) => {
      const load: Load = { rate, failing: 0.01, batch: 10, retention: 7 * DAY }
      const parts = new Map(ceilingsAt(load).map((each) => [each.of, each]))
      const of = (name: 'table' | 'index' | 'search'): string => {
        const { needs = '', fits } = parts.get(name) ?? {}
        // A search that is late fails nothing.
        return fits === true ? needs : `${needs}: ${name === 'search' ? 'late' : 'TOO MUCH'}`
      }
      return [rate.toLocaleString('en'), of('table'), of('index'), of('search')]
    })
    const head = ['records a second', 'table', 'index', 'search of the sweeper']
    return {
      tables: [{ title: 'What so many records need, and what is too much', head, rows }],
      figures: {},
    }
  },
}
