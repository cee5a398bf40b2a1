import type { Field, Form } from './form.ts'
import { duration, id, name, number, place, plan, prefix, queue, words } from './kinds.ts'

const SCAN = { as: 'flag' } as const
const SELECTION = {
  group: { as: 'option', kind: name },
  id: { as: 'option', kind: id, many: true },
  reason: { as: 'option', kind: name },
  match: { as: 'option', kind: words },
  olderThan: { as: 'option', kind: duration, name: 'older-than' },
} as const satisfies Record<string, Field>
const SOME_QUEUES = {
  queue: { as: 'argument', kind: queue },
  queues: { as: 'option', kind: prefix },
} as const satisfies Record<string, Field>
const SENT_KEY = {
  scope: { as: 'option', kind: name },
  key: { as: 'option', kind: id, many: true },
  tenant: { as: 'option', kind: name, many: true },
} as const satisfies Record<string, Field>

/** What `GET /api/NAME` runs: the query's parameters are the fields. */
export const ROUTES: Readonly<Record<string, Form>> = {
  overview: {
    words: ['status'],
    fields: {
      queues: { as: 'option', kind: prefix },
      noQueues: { as: 'flag', name: 'no-queues' },
    },
  },
  stats: {
    words: ['stats'],
    fields: { of: { as: 'option', kind: name, name: 'consumer' } },
  },
  tasks: {
    words: ['ls'],
    fields: {
      flow: { as: 'option', kind: name },
      consumer: { as: 'option', kind: name },
      stage: { as: 'option', kind: name },
      status: { as: 'option', kind: words, many: true },
      older: { as: 'option', kind: duration },
      due: { as: 'flag' },
      most: { as: 'option', kind: number(1, 1_000) },
      after: { as: 'option', kind: place },
    },
  },
  request: {
    words: ['explain'],
    fields: {
      id: { as: 'argument', kind: id },
      request: { as: 'option', kind: id },
      scan: SCAN,
      ...SENT_KEY,
    },
  },
  item: {
    words: ['show'],
    fields: { id: { as: 'argument', kind: id }, scan: SCAN, body: { as: 'page' }, ...SENT_KEY },
  },
  queues: {
    words: ['dlq', 'queues'],
    fields: { queues: { as: 'option', kind: prefix } },
  },
  groups: { words: ['dlq', 'groups'], fields: { ...SOME_QUEUES, ...SELECTION } },
  letters: {
    words: ['dlq', 'peek'],
    fields: {
      ...SOME_QUEUES,
      ...SELECTION,
      most: { as: 'option', kind: number(1, 100) },
      body: { as: 'flag' },
    },
  },
  requestGroups: { words: ['tokens', 'groups'], fields: {} },
  operation: {
    words: ['dlq', 'plan'],
    fields: { plan: { as: 'argument', kind: plan, required: true } },
  },
  pauses: { words: ['pause'], fields: {} },
  audit: {
    words: ['audit'],
    fields: {
      since: { as: 'option', kind: duration },
      id: { as: 'option', kind: id },
      who: { as: 'option', kind: name },
      action: { as: 'option', kind: words },
    },
  },
  doctor: {
    words: ['doctor'],
    fields: {
      template: { as: 'option', kind: words, many: true },
      queue: { as: 'option', kind: queue, many: true },
      delays: { as: 'flag' },
      brake: { as: 'flag' },
      strict: { as: 'flag' },
    },
  },
}
