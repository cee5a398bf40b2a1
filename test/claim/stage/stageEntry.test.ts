import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isAtEnd,
  leaseOf,
  readEntry,
  type StageEntry,
  writeEntry,
} from '../../../src/library/protocol/claim/stage/stageEntry.ts'

const word = fc.stringMatching(/^[\w.-]{1,12}$/)
const count = fc.nat()
const reason = fc.constantFrom(
  'exhausted' as const,
  'terminal' as const,
  'rejected' as const,
  'too old' as const,
  'unknown' as const,
  'abandoned' as const,
)
const attempted = { attemptId: word, attempt: count }
const entries: fc.Arbitrary<StageEntry> = fc.oneof(
  fc.record({
    status: fc.constant('open' as const),
    ...attempted,
    leaseUntil: count,
    resendNumber: count,
  }),
  fc.record({
    status: fc.constant('retry' as const),
    ...attempted,
    notBefore: count,
    resendNumber: count,
    sent: fc.boolean(),
  }),
  fc.record({
    status: fc.constant('settled' as const),
    ends: fc.boolean(),
    sentTo: fc.array(word, { maxLength: 4 }),
  }),
  fc.record({ status: fc.constant('dying' as const), ...attempted, leaseUntil: count, reason }),
  fc.record({ status: fc.constant('dead' as const), epoch: count, reason }),
)

describe('a stage entry is one text', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(readEntry(writeEntry(entry))).toEqual(entry)
      }),
    )
  })

  it('differs from every other entry, so that one comparison distinguishes them', () => {
    fc.assert(
      fc.property(entries, entries, (one, other) => {
        expect(writeEntry(one) === writeEntry(other)).toBe(
          JSON.stringify(readEntry(writeEntry(one))) ===
            JSON.stringify(readEntry(writeEntry(other))),
        )
      }),
    )
  })

  it('is refused when one of its characters is lost, or reads as what was written', () => {
    fc.assert(
      fc.property(entries, fc.nat(), (entry, at) => {
        const text = writeEntry(entry)
        const cut = text.slice(0, at % text.length) + text.slice((at % text.length) + 1)
        const read = readEntry(cut)
        expect(read === undefined || writeEntry(read) === cut).toBe(true)
      }),
    )
  })

  it.each([
    ['nothing', ''],
    ['a status of a newer version', 'paused 1 a 2 3'],
    ['too few words', 'open 1 a 2'],
    ['too many words', 'open 1 a 2 3 4'],
    ['a negative number', 'open -1 a 2 3'],
    ['a number with zeros before it', 'open 01 a 2 3'],
    ['a fraction', 'open 1.5 a 2 3'],
    ['a number in words', 'dead one terminal'],
    ['a reason of a newer version', 'dead 3 bored'],
    ['a reason that objects inherit', 'dead 3 constructor'],
    ['neither sent nor unsent', 'retry 1 a 2 3 maybe'],
    ['two spaces', 'dead  3 terminal'],
    ['a line break', 'dead 3 terminal\n'],
    ['other letters', 'Dead 3 terminal'],
  ])('refuses %s', (_, text) => {
    expect(readEntry(text)).toBeUndefined()
  })

  it('is at its end when settled or dead, and has a lease when open or dying', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(isAtEnd(entry)).toBe(['settled', 'dead'].includes(entry.status))
        expect(leaseOf(entry)).toBe('leaseUntil' in entry ? entry.leaseUntil : 0)
      }),
    )
    expect(isAtEnd(undefined)).toBe(false)
  })
})
