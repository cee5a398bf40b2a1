import type { Field, Form } from './form.ts'
import {
  duration,
  file,
  id,
  name,
  number,
  path,
  plan,
  prefix,
  queue,
  time,
  words,
} from './kinds.ts'

/** A change that a page can plan and apply. */
export interface Action {
  readonly form: Form
  /**
   * `plan`: it is bound to the plan that was shown. `flag`: `--apply` alone, since it does what is due, whatever that is. `command`:
   * the command has no plan, and is run only when it is applied.
   */
  readonly bound: 'plan' | 'flag' | 'command'
  /** Shown as the plan of a `command`. */
  readonly look?: Form
  /** It may run for minutes: its end is not waited for. */
  readonly long?: true
}

const ID = { id: { as: 'argument', kind: id, required: true } } as const
/** An id, or all of a group. */
const ONE_OR_GROUP = {
  group: { as: 'option', kind: name },
  id: { as: 'argument', kind: id },
} as const satisfies Record<string, Field>
const NOT_DONE = {
  notDone: { as: 'option', kind: name, name: 'not-done', many: true },
} as const satisfies Record<string, Field>
const STEP = {
  id: { as: 'argument', kind: id, required: true },
  step: { as: 'argument', kind: name, required: true },
  request: { as: 'option', kind: id },
} as const satisfies Record<string, Field>
const DEAD_REQUEST = {
  id: { as: 'argument', kind: id, required: true },
  request: { as: 'argument', kind: id, required: true },
} as const satisfies Record<string, Field>
const QUEUES = {
  queue: { as: 'argument', kind: queue },
  queues: { as: 'option', kind: prefix },
  all: { as: 'flag' },
  group: { as: 'option', kind: name },
  id: { as: 'option', kind: id, many: true },
  reason: { as: 'option', kind: name },
  match: { as: 'option', kind: words },
  olderThan: { as: 'option', kind: duration, name: 'older-than' },
} as const satisfies Record<string, Field>
const PLAN = { plan: { as: 'argument', kind: plan, required: true } } as const
const MAPPINGS = {
  mapping: { as: 'option', kind: name },
  queue: { as: 'option', kind: queue },
  function: { as: 'option', kind: name },
  consumer: { as: 'option', kind: name },
  flow: { as: 'option', kind: name },
  dependency: { as: 'option', kind: name },
} as const satisfies Record<string, Field>

function planned(line: string, fields: Form['fields']): Action {
  return { form: { words: line.split(' '), fields }, bound: 'plan' }
}

function ofOperation(line: string): Action {
  const look: Form = { words: ['dlq', 'plan'], fields: PLAN }
  return { form: { words: line.split(' '), fields: PLAN }, bound: 'command', look }
}

/** Everything that the console can change. No other command can be run with `--apply`. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  'tokens.resolve': planned('tokens resolve', {
    ...ONE_OR_GROUP,
    result: { as: 'json' },
    error: { as: 'option', kind: words },
  }),
  'tokens.release': planned('tokens release', { ...ONE_OR_GROUP, ...NOT_DONE }),
  'tokens.reopen': planned('tokens reopen', {
    ...ONE_OR_GROUP,
    ...NOT_DONE,
    answer: { as: 'values', kind: path },
  }),
  'tokens.undo': planned('tokens undo', ID),
  'awaits.complete': planned('awaits complete', {
    ...STEP,
    answer: { as: 'json', required: true },
    externalId: { as: 'option', kind: id, name: 'id' },
    wait: { as: 'option', kind: duration },
  }),
  'awaits.fail': planned('awaits fail', STEP),
  'awaits.reopen': planned('awaits reopen', {
    ...STEP,
    externalId: { as: 'option', kind: id, name: 'id' },
    keep: { as: 'option', kind: name, many: true },
    for: { as: 'option', kind: duration },
  }),
  'flow.reset': planned('flow reset', { ...ID, undo: { as: 'flag' } }),
  'flow.forget': planned('flow forget', DEAD_REQUEST),
  'flow.undo': planned('flow undo', DEAD_REQUEST),
  'delays.void': planned('delays void', ID),
  'dlq.redrive': {
    ...planned('dlq redrive', {
      ...QUEUES,
      to: { as: 'option', kind: queue },
      rate: { as: 'option', kind: number(1, 10_000) },
      stopAfter: { as: 'option', kind: number(1, 1_000_000), name: 'stop-after' },
      noRamp: { as: 'flag', name: 'no-ramp' },
    }),
    long: true,
  },
  'dlq.archive': {
    ...planned('dlq archive', {
      ...QUEUES,
      file: { as: 'option', kind: file, name: 'to-file', required: true },
    }),
    long: true,
  },
  'dlq.discard': {
    ...planned('dlq discard', { ...QUEUES, keep: { as: 'option', kind: duration } }),
    long: true,
  },
  'dlq.restore': { ...planned('dlq restore', PLAN), long: true },
  'dlq.edit': planned('dlq edit', {
    queue: { as: 'argument', kind: queue, required: true },
    id: { as: 'option', kind: id, required: true },
    set: { as: 'values', kind: path, required: true },
    consumer: { as: 'option', kind: name },
  }),
  'dlq.pause': ofOperation('dlq pause'),
  'dlq.resume': { ...ofOperation('dlq resume'), long: true },
  pause: planned('pause', {
    ...MAPPINGS,
    for: { as: 'option', kind: duration },
    until: { as: 'option', kind: time },
    noEnd: { as: 'flag', name: 'no-end' },
  }),
  resume: planned('resume', { ...MAPPINGS, all: { as: 'flag' } }),
  sweep: {
    form: {
      words: ['sweep'],
      fields: { grace: { as: 'option', kind: duration }, search: { as: 'flag' } },
    },
    bound: 'flag',
    long: true,
  },
}
