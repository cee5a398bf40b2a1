import { describe, expect, it } from 'vitest'
import { CHECKS, PROMISES } from './checks.ts'
import { leaveOut } from './leaveOut.ts'
import { textOfModule } from './moduleOf.ts'
import { explore } from './tla/explore.ts'
import { parseModule } from './tla/parse.ts'

const MUTANTS = {
  Token: leaveOut(parseModule(textOfModule('Token')), ['Init', ...PROMISES.Token]),
  Stage: leaveOut(parseModule(textOfModule('Stage')), ['Init', ...PROMISES.Stage]),
}

/** A condition, the promise that breaks without it, and the search that shows it. Conditions that are not listed were not decided. */
const BREAKS = [
  ['Token', 'Fenced: t.owner = id', 'LateWritesNothing', 'retries'],
  ['Token', 'Fenced: t.status = status', 'LateWritesNothing', 'deaths, redrives'],
  ['Token', 'Judged: t.owner = seen.owner', 'OwnDeath', 'deaths, redrives'],
  ['Token', 'IsReplaced: t.confirmed', 'NothingLost', 'retries'],
  ['Token', 'IsReplaced: m.retry < t.resend', 'NothingLost', 'retries'],
  ['Token', 'IsRedriven: IF t.final …', 'Exclusive', 'retries'],
  ['Token', 'IsRedriven: m.death = t.death', 'OwnDeath', 'deaths, redrives'],
  ['Token', 'IsRedriven: t.status = "ending"', 'NothingLost', 'retries'],
  ['Token', 'IsRedriven: t.lease # "live"', 'Exclusive', 'told'],
  ['Token', 'Unfinished: IF t.lease = "live" THEN "held"', 'Exclusive', 'retries'],
  ['Token', 'Unfinished: t.status = "inProgress"', 'FinalForGood', 'final and unreadable'],
  ['Token', 'Unfinished: IF t.waits THEN "early"', 'InTime', 'retries'],
  [
    'Token',
    'Unfinished: IF (t.attempt >= MaxAttempts /\\ t.status = "inProgress") THEN "deadLetter"',
    'WithinBudget',
    'deaths, redrives',
  ],
  ['Token', 'Verdict: t.owner = id', 'WithinBudget', 'retries'],
  ['Stage', 'EntryVerdict: IF e.lease = "live" THEN "held"', 'Exclusive', 'deaths'],
] as const

describe('without a condition a promise breaks', () => {
  it.each(BREAKS)('%s: %s', (module, lacks, breaks, what) => {
    const mutant = MUTANTS[module].find((one) => one.lacks === lacks)
    const check = CHECKS.find((one) => one.module === module && one.what === what)
    if (mutant === undefined || check === undefined) throw new Error('there is no such condition')
    const { constants } = check
    const bounds = { constants, promises: PROMISES[module], most: 10_000 }
    expect(explore(mutant.module, bounds).broken?.promise).toBe(breaks)
  })
})
