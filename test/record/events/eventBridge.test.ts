import { eventBridge } from 'lineclear'
import { eventBridgeEvent } from 'lineclear/testing'
import { describe, expect, it } from 'vitest'
import { EC2_TERMINATED } from './samples.ts'
import type { EventBridgeOptions } from '../../../src/library/protocol/record/events/eventBridge.ts'
import type { OpenedEvent } from '../../../src/library/protocol/record/envelope/envelope.ts'

const QUEUE = 'arn:aws:sqs:eu-west-1:111122223333:orders'
const SHOP = { source: 'my.shop', detailType: 'OrderPlaced', account: '111122223333', id: 'e-1' }

function open(body: object | string, options?: EventBridgeOptions): OpenedEvent | undefined {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return eventBridge(options).open(text, QUEUE, Date.now())
}

describe('an event of EventBridge', () => {
  it('gives its detail, its id and its time', () => {
    const opened = open(EC2_TERMINATED)
    expect(EC2_TERMINATED).toContain(`"detail": ${opened?.body}`)
    expect(JSON.parse(opened?.body ?? '')).toEqual({
      'instance-id': ' i-1234567890abcdef0',
      state: 'terminated',
    })
    expect(opened?.event).toMatchObject({
      id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
      sentAt: Date.UTC(2017, 11, 22, 18, 43, 48),
    })
    expect(opened?.event).not.toHaveProperty('takenAt')
    expect(opened?.eventBridge).toEqual(JSON.parse(EC2_TERMINATED))
  })

  it('is the payload itself with payload: event', () => {
    expect(open(EC2_TERMINATED, { payload: 'event' })?.body).toBe(EC2_TERMINATED)
  })

  it('has the same fingerprint however an archive orders its fields, and another one for another detail', () => {
    const { detail, ...around } = eventBridgeEvent({ a: 1, b: { c: 2, d: [3] } }, SHOP)
    const reordered = { detail: { b: { d: [3], c: detail.b.c }, a: 1 }, ...around }
    const other = { ...around, detail: { ...detail, a: 2 } }
    const [first, second, third] = [{ ...around, detail }, reordered, other].map(
      (event) => open(event)?.event?.fingerprint,
    )
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  it('keeps the spelling of its detail, in which a parser would round numbers', () => {
    const detail = '{ "n": 9007199254740993, "m": 10.00, "7": "detail", "a": {"detail": [1, "]"]} }'
    const body = JSON.stringify({ ...GOOD, detail: {} }).replace(
      '"detail":{}',
      `"detail" :${detail}`,
    )
    expect(open(body)?.body).toBe(detail)
    const escaped = body.replace('"detail" :', String.raw`"detail":{"n":1},"\u0064etail":`)
    expect(open(escaped)?.body).toBe(detail)
    const rounded = body.replace('9007199254740993', '9007199254740992')
    expect(open(body)?.event?.fingerprint).not.toBe(open(rounded)?.event?.fingerprint)
    const same = body.replace('10.00', '10')
    expect(open(body)?.event?.fingerprint).toBe(open(same)?.event?.fingerprint)
  })

  it('without a time that can be read is as old as the queue says', () => {
    const event = { ...eventBridgeEvent({}, SHOP), time: '1970-01-01T00:00:00Z' }
    expect(open(event)?.event).toEqual({ id: 'e-1', fingerprint: expect.any(String) as string })
  })
})

describe('a replay', () => {
  const at = Date.UTC(2026, 0, 1)
  const original = eventBridgeEvent({ n: 1 }, { ...SHOP, time: at })
  const replay = (replayName: string) =>
    eventBridgeEvent({ n: 1 }, { ...SHOP, time: at, replayName })

  it('is the same request as the original, and as old', () => {
    const [first, again] = [open(original)?.event, open(replay('mend'))?.event]
    expect(again).toEqual({ ...first, takenAt: at })
  })

  it('is a request of its own for each name with replays: again', () => {
    const [first, mend, other] = [original, replay('mend'), replay('other')].map(
      (event) => open(event, { replays: 'again' })?.event,
    )
    expect(first?.id).toBe('e-1')
    expect(new Set([first?.id, mend?.id, other?.id]).size).toBe(3)
    expect(mend).not.toHaveProperty('takenAt')
    expect(open(replay('mend'), { replays: 'again' })?.event).toEqual(mend)
  })
})

describe('the filter', () => {
  it.each([
    ['the account of the queue, by default', {}, true],
    ['a named source', { sources: ['my.shop'] }, true],
    ['another source', { sources: ['my.mill'] }, false],
    ['no source', { sources: [] }, false],
    ['another account', { accounts: ['999999999999'] }, false],
    ['any account', { accounts: 'any' }, true],
  ] as const)('%s', (_what, options, admitted) => {
    const opened = open(eventBridgeEvent({}, SHOP), options)
    expect(opened?.event?.id).toBe(admitted ? 'e-1' : undefined)
    expect(opened?.unlisted?.includes('my.shop')).toBe(admitted ? undefined : true)
  })

  it('leaves an event of another account as payload', () => {
    const opened = open(eventBridgeEvent({}, { ...SHOP, account: '999999999999' }))
    expect(opened).toEqual({ unlisted: expect.stringContaining('999999999999') as string })
  })

  it('writes nothing of an unknown sender to the log but names', () => {
    expect(open(eventBridgeEvent({}, { ...SHOP, account: 'secret of a customer' }))).toBeUndefined()
    expect(open(eventBridgeEvent({}, { ...SHOP, source: 'a b' }), { sources: [] })).toBeUndefined()
  })
})

const GOOD = eventBridgeEvent({ n: 1 }, SHOP)

/** Bodies that look like an event: each remains payload. */
const LOOK_ALIKES: readonly (readonly [what: string, body: object | string])[] = [
  ['nothing', ''],
  ['half an event', JSON.stringify(GOOD).slice(0, -2)],
  ['a list', [GOOD]],
  ['an event in a text', JSON.stringify(JSON.stringify(GOOD))],
  ['an event inside another object', { event: GOOD }],
  ['no detail', { ...GOOD, detail: undefined }],
  ['a detail that is a text', { ...GOOD, detail: '{}' }],
  ['a detail that is a list', { ...GOOD, detail: [] }],
  ['a detail that is null', { ...GOOD, detail: null }],
  ['no id', { ...GOOD, id: undefined }],
  ['an id that is a number', { ...GOOD, id: 7 }],
  ['an empty id', { ...GOOD, id: '' }],
  ['an id with a line break', { ...GOOD, id: 'a\nb' }],
  ['an id that is too long', { ...GOOD, id: 'x'.repeat(257) }],
  ['an account that is a number', { ...GOOD, account: 111_122_223_333 }],
  ['a source that is a list', { ...GOOD, source: ['my.shop'] }],
  ['resources that are a text', { ...GOOD, resources: 'all' }],
  ['a replay-name that is an object', { ...GOOD, 'replay-name': {} }],
  ['the fields on the prototype', `{"__proto__":${JSON.stringify(GOOD)}}`],
]

it.each(LOOK_ALIKES)('%s is no event', (_what, body) => {
  expect(open(body)).toBeUndefined()
})

it('an event of another version is refused, not run', () => {
  expect(open({ ...GOOD, version: '1' })).toEqual({
    refusal: 'an event of EventBridge in version "1": only version 0 is known. It was not run.',
  })
})

it('an event that is nested too deep is refused', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const body = JSON.stringify(GOOD).replace('{"n":1}', `{"n":${deep}}`)
  expect(open(body)).toEqual({ refusal: 'the event is nested more than 64 levels deep' })
})

it.each([
  [{ sources: 'my.shop' }, 'sources: expected a list of sources'],
  [{ sources: [''] }, 'sources: expected a list of sources'],
  [{ accounts: ['1'] }, 'accounts: expected a list of account ids of 12 digits'],
  [{ payload: 'body' }, "payload: expected 'detail' or 'event'"],
  [{ source: ['my.shop'] }, `"source" is not known here: write 'sources'`],
])('%j is a wrong option', (options, text) => {
  expect(() => eventBridge(options as object)).toThrow(text)
})
