import { describe, expect, it } from 'vitest'
import { ancestorsOf } from '../../../src/library/protocol/claim/stage/stageHold.ts'
import { fingerprintOf, isSamePayload } from '../../../src/library/protocol/claim/stage/version.ts'
import { nameInRun } from '../../../src/library/protocol/claim/stage/stageMessage.ts'
import { running } from './given.ts'

const names = (...former: string[]) => ({ known: new Set(['reserve', 'bill', 'post']), former })
const stagesOf = (entries: Readonly<Record<string, string>>) =>
  running(
    Object.fromEntries(Object.entries(entries).map(([name, entry]) => [`stage:${name}`, entry])),
  ).run.stages

describe('the name that a stage has in a run', () => {
  it.each([
    ['its own, once it has begun', { a: 'settled on bill', bill: 'open 1 x 5 0' }, 'a', [], 'bill'],
    ['its own, when it was handed on to', { a: 'settled on bill' }, 'a', ['pay'], 'bill'],
    ['a former one, when that was handed on to', { a: 'settled on pay' }, 'a', ['pay'], 'pay'],
    ['its own, while its sender is open', { a: 'open 1 x 5 0' }, 'a', ['pay'], 'bill'],
    ['its own, when no sender is known', {}, 'a', ['pay'], 'bill'],
    ['its own, when two are unknown', { a: 'settled on pay mail' }, 'a', [], 'bill'],
    ['a former one of the first stage', { pay: 'open 1 x 5 0' }, undefined, ['pay'], 'pay'],
  ] as const)('is %s', (_what, entries, after, former, stage) => {
    const named = nameInRun(stagesOf(entries), { stage: 'bill', after }, names(...former))
    expect(named).toEqual({ kind: 'named', stage })
  })

  it.each([
    ['was handed on to', { a: 'settled on pay post', post: 'settled ends' }, 'a'],
    ['has begun the run', { book: 'retry 1 x 5 1 sent', post: 'settled ends' }, undefined],
  ] as const)(
    'is unknown when the only one that no definition knows %s',
    (_what, entries, after) => {
      const named = nameInRun(stagesOf(entries), { stage: 'bill', after }, names())
      expect(named).toEqual({ kind: 'unknown', stage: after === undefined ? 'book' : 'pay' })
    },
  )
})

it('the stages that have led to one are all that handed on to it, by whichever way', () => {
  const stages = stagesOf({
    a: 'settled on b c',
    b: 'settled on d',
    c: 'settled on d',
    d: 'open 1 x 5 0',
    e: 'settled on c',
  })
  expect([...ancestorsOf(stages, 'd')].toSorted()).toEqual(['a', 'b', 'c', 'e'])
  expect([...ancestorsOf(stages, 'a')]).toEqual([])
})

describe('two payloads under one id', () => {
  const [claimed, computed] = [fingerprintOf('one', false), fingerprintOf('one', true)]
  it.each([
    ['of one body', claimed, claimed, true],
    ['of two bodies', claimed, fingerprintOf('two', false), false],
    ['of two bodies that each gave the id', computed, fingerprintOf('two', true), true],
    ['of two bodies, one of which gave the id', computed, fingerprintOf('two', false), false],
    ['of one body, of which one gave the id', computed, claimed, true],
    ['of a version that kept none', undefined, claimed, true],
  ])('%s: one request %s', (_what, stored, given, same) => {
    expect(isSamePayload(stored, given)).toBe(same)
    expect(claimed).toHaveLength(12)
  })
})
