import type { SearchRow } from '../../../library/entries/sweeper/search/searchRow.ts'
import { nextStep, note } from '../item/advise.ts'
import { formatRelative } from '../text/humanTime.ts'
import type { StatusFinding } from './finding.ts'

/** A sweeper begins a turn of its search each five minutes, unless the option says otherwise. Milliseconds. */
const SILENT = 60 * 60_000
/** A turn through a table that has grown takes longer than the last one. */
const LONGER = 3

/** Nothing else in the table shows that a sweeper runs. Without a row its search may be off: that is said, and is no finding. */
export function sweeperStatus(row: SearchRow | undefined, now: number): readonly StatusFinding[] {
  if (row === undefined) return []
  const { turn, last, over } = row
  const since = over && last !== undefined ? last.ended : turn.begun
  const length = last === undefined ? 0 : last.ended - last.begun
  if (last === undefined || since > now - SILENT - LONGER * length) return []
  const begun = over ? 'was last through the table' : 'began the turn that it has not ended'
  const what = `its search ${begun} ${formatRelative(since, now)}: it does not run, or its search is off (search: false) or rarer (search.every)`
  const log = note('look at its log and schedule')
  const next = nextStep({ action: 'sweep', last: ['--apply'] }, [log])
  const about = { severity: 'warn', kind: 'sweeper', of: 'the sweeper', number: 1 } as const
  return [{ ...about, atLeast: false, since, what, ...next }]
}
