import type { InvocationHandlerOptions } from 'lineclear'
import { restEvent } from '../../call/httpEvents.ts'

/** One bad event of a direct invocation. */
export interface InvocationRow {
  readonly what: string
  readonly event: unknown
  readonly key?: InvocationHandlerOptions<never, unknown>['key']
  readonly sentAt?: InvocationHandlerOptions<never, unknown>['sentAt']
  /** The function runs; or the code of the error that Lambda is given; or the status that the caller of an API is given. */
  readonly end: 'runs' | 'REJECTED' | 'CONFIG' | number
  readonly text?: string
}

const runs = { end: 'runs' } as const
const refused = { end: 'REJECTED', text: 'Nothing was run|nothing was run' } as const
const field = ({ id }: { readonly id: string }): string => id
const placeholder = { end: 'REJECTED', text: 'a placeholder that was not replaced' } as const
const event = { 'detail-type': 'Sold', source: 'shop', detail: {} }

export const INVOCATIONS: Readonly<Record<string, readonly InvocationRow[]>> = {
  'without key': [
    { what: 'no event', event: undefined, ...runs },
    { what: 'null', event: null, ...runs },
    { what: 'a number', event: 7, ...runs },
    { what: 'a text', event: 'order', ...runs },
    { what: 'a list', event: [1], ...runs },
    { what: 'an empty object', event: {}, ...runs },
    { what: 'a field __proto__', event: JSON.parse('{"__proto__":{"id":"x"}}'), ...runs },
    ...['aws:sqs', 'aws:kinesis', 'aws:dynamodb'].map((eventSource): InvocationRow => ({
      what: `a batch of ${eventSource}, which comes back under another request id`,
      event: { Records: [{ eventSource, messageId: 'm', body: '{}' }] },
      ...refused,
    })),
    { what: 'an event of S3', event: { Records: [{ eventSource: 'aws:s3' }] }, ...runs },
    { what: 'records that are no list', event: { Records: 7 }, ...runs },
    { what: 'EventBridge without an id', event, ...runs },
    { what: 'EventBridge with an id that is a number', event: { ...event, id: 7 }, ...runs },
    { what: 'EventBridge with an empty id', event: { ...event, id: '' }, ...runs },
    { what: 'EventBridge with a wrong time', event: { ...event, id: 'e', time: 'soon' }, ...runs },
    {
      what: 'EventBridge with an id of 3,000 characters',
      event: { ...event, id: 'x'.repeat(3_000) },
      ...refused,
    },
    { what: 'EventBridge with half a character', event: { ...event, id: '\uD800' }, ...refused },
    { what: 'an HTTP request without a key', event: restEvent({ body: {} }), end: 400 },
  ],
  'with key': [
    { what: 'no event', event: undefined, key: field, ...refused },
    { what: 'null', event: null, key: field, ...refused },
    { what: 'no such field', event: {}, key: field, ...refused },
    { what: 'an empty text', event: { id: '' }, key: field, ...refused },
    { what: 'an id that is null', event: { id: null }, key: field, ...refused },
    { what: 'half a character', event: { id: '\uDC00' }, key: field, ...refused },
    { what: 'a key of 3,000 characters', event: { id: 'x'.repeat(3_000) }, key: field, ...refused },
    { what: 'an id named __proto__', event: { id: '__proto__' }, key: field, ...runs },
    {
      what: 'a function as a part',
      event: {},
      key: () => (() => {}) as never,
      ...refused,
    },
    {
      what: 'a part that is missing',
      event: { id: 'a' },
      key: ({ id }: { readonly id: string }) => [id, undefined],
      ...refused,
    },
    {
      what: 'an execution id of Scheduler that was not replaced',
      event: { id: '<aws.scheduler.execution-id>' },
      key: field,
      ...placeholder,
    },
    {
      what: 'a path of Step Functions',
      event: { id: '$$.Execution.Id' },
      key: field,
      ...placeholder,
    },
    { what: 'a path of its input', event: { id: '$.orderId' }, key: field, ...placeholder },
    {
      what: 'JSONata that was not evaluated',
      event: { id: '{% $states.input.id %}' },
      key: field,
      ...placeholder,
    },
    {
      what: 'an id that throws',
      event: { id: 'a' },
      key: () => {
        throw new Error('no id')
      },
      ...refused,
    },
  ],
  'with sentAt': [
    {
      what: 'no time',
      event: { id: 'a' },
      key: field,
      sentAt: () => undefined as never,
      ...refused,
    },
    { what: 'a time without a zone', event: {}, sentAt: () => '2026-11-22T03:00:00', ...refused },
    { what: 'an invalid Date', event: {}, sentAt: () => new Date(Number.NaN), ...refused },
  ],
}
