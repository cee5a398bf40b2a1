import { inRun, RUN_OF } from './consumers.ts'
import { handMade, NOW, record } from './consumerHarness.ts'
import type { Row } from './row.ts'

const first = (payload: unknown) => ({ to: 'first stage', record: record(payload) }) as const
const last = (run: object, payload: unknown = { key: 'k' }) =>
  ({ to: 'last stage', record: record(payload, { attributes: inRun(run) }) }) as const
const orphan = { end: 'deadLettered', text: 'does not say to which run it belongs' } as const
/** Its record is younger than the message: the effects of its run are no longer known. */
const lost = { end: 'deadLettered', text: 'lost record' } as const
const goesOn = [{ ...RUN_OF('goes-on', 'run-on'), 'stage:first': 'settled on last' }]
const broken = (key: string) => ({ to: 'broken key', record: record({ key }) }) as const
const ODD = [
  ['a number', '=7', 'key(payload) gave number'],
  ['null', '=null', 'key(payload) gave object'],
  ['an object', '={}', 'key(payload) gave object'],
  ['a list', '=["k"]', 'key(payload) gave object'],
  ['an empty text', '=""', 'key(payload) gave an empty text'],
  ['nothing: it throws', '={', 'key(payload) threw'],
] as const

/** Messages of stages: their keys, and the run that they name. */
export const flowRows: readonly Row[] = [
  {
    what: 'an empty key',
    ...first({ key: '' }),
    end: 'deadLettered',
    text: 'key(payload) gave an empty text',
  },
  { what: 'a key that is a number', ...first({ key: 7 }), end: 'deadLettered', text: 'key: ' },
  {
    what: 'a key of 100,000 characters',
    ...first({ key: 'x'.repeat(100_000) }),
    end: 'completed',
    ran: { key: 'x'.repeat(100_000) },
  },
  {
    what: 'a key with slashes',
    ...first({ key: '../trip/k' }),
    end: 'completed',
    ran: { key: '../trip/k' },
  },
  {
    what: 'a key with a line break and NUL',
    ...first({ key: 'a\n\0b' }),
    end: 'completed',
    ran: { key: 'a\n\0b' },
  },
  {
    what: 'a key named __proto__',
    ...first({ key: '__proto__' }),
    end: 'completed',
    ran: { key: '__proto__' },
  },
  {
    what: 'a key with a lone surrogate',
    to: 'first stage',
    record: record('{"key":"\\ud800"}'),
    end: 'deadLettered',
    text: 'half a character',
  },
  ...ODD.map(([what, key, text]): Row => ({
    what: `a key function that gives ${what}`,
    ...broken(key),
    end: 'deadLettered',
    text,
  })),
  { what: 'no JSON at a later stage', ...last({}, 'nonsense'), ...lost },
  {
    what: 'a later stage without a run',
    to: 'last stage',
    record: record({ key: 'k' }),
    ...orphan,
  },
  {
    what: 'a run that is a text',
    to: 'last stage',
    record: record({ key: 'k' }, { attributes: { lineclear: '{"format":1,"flow":"trip"}' } }),
    ...orphan,
  },
  {
    what: 'a run that is null',
    to: 'last stage',
    record: record({ key: 'k' }, { attributes: { lineclear: '{"format":1,"flow":null}' } }),
    ...orphan,
  },
  { what: 'a run without an epoch', ...last({ epoch: undefined }), ...orphan },
  { what: 'a run with an epoch of zero', ...last({ epoch: 0 }), ...orphan },
  { what: 'a run with an epoch that is a text', ...last({ epoch: '1' }), ...orphan },
  { what: 'a run without an id', ...last({ id: undefined }), ...orphan },
  { what: 'a run whose id has spaces', ...last({ id: 'a b' }), ...orphan },
  { what: 'a run without a key', ...last({ key: '' }), ...orphan },
  { what: 'a run without a time', ...last({ sentAt: undefined }), ...orphan },
  { what: 'a run of the year 4000', ...last({ sentAt: NOW * 2 }), ...orphan },
  { what: 'a run from nowhere', ...last({ from: undefined }), ...orphan },
  { what: 'a timeout that is a text', ...last({ timeout: 'true' }), ...orphan },
  {
    what: 'a run of another flow',
    ...last({ name: 'tour' }),
    end: 'deadLettered',
    text: "of flow 'tour' has come to flow 'trip'",
  },
  { what: 'an unknown run', ...last({ id: 'unknown' }), ...lost },
  {
    what: 'a run of an epoch to come',
    ...last({ key: 'good-1', id: 'run-1', epoch: 99 }),
    ...lost,
  },
  { what: 'a run from a stage that does not exist', ...last({ from: 'nowhere' }), ...lost },
  {
    what: 'no JSON for a run under way',
    ...last({ key: 'goes-on', id: 'run-on' }, 'nonsense'),
    items: goesOn,
    end: 'deadLettered',
    text: 'not JSON',
  },
  {
    what: 'a run under way, from a stage that does not exist',
    ...last({ key: 'goes-on', id: 'run-on', from: 'nowhere' }),
    items: goesOn,
    end: 'deadLettered',
    text: 'not handed on',
  },
  {
    what: 'another run than the one under way',
    ...last({ key: 'goes-on', id: 'unknown' }),
    items: goesOn,
    end: 'deadLettered',
    text: 'lost record',
  },
]

const answer = (payload: unknown, attributes = {}) =>
  ({ to: 'answers', record: record(payload, { attributes }) }) as const
const refused = { end: 'deadLettered', text: 'the schema refuses the payload' } as const
const late = { SentTimestamp: String(NOW - 120_000) }

/** Answers from outside, which carry nothing but an id. */
export const answerRows: readonly Row[] = [
  {
    what: 'an answer without a step may be early',
    ...answer({ quoteId: 'q', price: 1 }),
    end: 'deferred',
  },
  {
    what: 'an answer without a step after its grace time',
    to: 'answers',
    record: handMade({ quoteId: 'q', price: 1 }, { attributes: late }),
    end: 'deadLettered',
    text: 'unknown step',
  },
  { what: 'an answer without an id', ...answer({ price: 1 }), ...refused },
  {
    what: 'an answer with an empty id',
    ...answer({ quoteId: '', price: 1 }),
    end: 'deadLettered',
    text: 'awaitingSteps.quote.id(payload) gave an empty text',
  },
  { what: 'an answer whose id is a number', ...answer({ quoteId: 7, price: 1 }), ...refused },
  { what: 'an answer that is null', ...answer('null'), ...refused },
  { what: 'an answer that is no JSON', ...answer('hello'), end: 'deadLettered', text: 'not JSON' },
  {
    what: 'an answer with an id named __proto__',
    ...answer({ quoteId: '__proto__', price: 1 }),
    end: 'deferred',
  },
  {
    what: 'an answer for the id of another run is that run’s',
    ...answer({ quoteId: 'of-waits', price: 9 }),
    end: 'completed',
    ran: { quoteId: 'of-waits', price: 9 },
  },
  {
    what: 'a timeout without a stamp is no answer',
    ...answer({ $lineclear: 'timeout' }),
    end: 'deadLettered',
    text: 'awaitingSteps.quote.id(payload)',
  },
  {
    what: 'a timeout for an unknown run',
    ...answer({ $lineclear: 'timeout' }, inRun({ timeout: true, id: 'unknown' })),
    ...lost,
  },
  {
    what: 'a timeout before its time',
    ...answer(
      { $lineclear: 'timeout' },
      inRun({ timeout: true, key: 'waits', id: 'run-waits', from: 'first' }),
    ),
    end: 'deferred',
  },
  {
    what: 'a timeout with something more',
    ...answer({ $lineclear: 'timeout', price: 1 }),
    ...refused,
  },
  {
    what: 'an answer that names a run it is not for',
    ...answer({ quoteId: 'of-waits', price: 9 }, inRun({ key: 'unknown' })),
    end: 'deferred',
  },
]
