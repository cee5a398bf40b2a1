/**
 * Where an option is given: to `recordHandler`, `writeHandler`, `defineFlow`, one of its stages or awaited steps,
 * `invocationHandler` or `idempotent`. A stage has those of its flow beside its own, and so has the handler of answers of a step. An
 * undo has the options of the handler whose effects it undoes; its message carries the identity of the request, so `id`, `sentAt` and
 * `mustAgree` are not asked.
 */
export type Place = 'record' | 'write' | 'flow' | 'stage' | 'step' | 'invocation' | 'function'

/** Every option of a handler, and each place where it is given. Elsewhere it is refused. */
const TABLE = {
  name: 'record write flow invocation',
  sharedName: 'record write flow',
  store: 'record write flow invocation function',

  // What arrives, and whose request it is.
  schema: 'record write stage step',
  formerNames: 'record write stage step',
  parse: 'record write',
  topics: 'record write stage step',
  envelopes: 'record write stage step',
  queueUrl: 'record write stage step',
  reportBatchItemFailures: 'record write flow',
  id: 'record write flow step invocation',
  key: 'flow function',
  sentAt: 'record write flow invocation',
  mustAgree: 'record write',
  scope: 'function',
  tenant: 'invocation function',
  payload: 'invocation function',
  hash: 'function',
  when: 'function',

  // Which request has its key, and for how long.
  stages: 'flow',
  awaits: 'flow',
  final: 'stage',
  order: 'flow',
  onConflict: 'flow',
  giveUpAfter: 'flow',
  timeout: 'step',
  grace: 'step',
  lockTtl: 'function',
  waitForOther: 'invocation function',
  retention: 'record write flow invocation function',

  // How it runs and ends.
  concurrency: 'record write stage step',
  reserve: 'record write flow invocation',
  brake: 'record write stage',
  retry: 'record write flow',
  deadLetterQueueUrl: 'record write stage step',
  undo: 'record stage step',
  undoDead: 'record flow',
  classify: 'invocation function',
  validResponse: 'invocation function',
  replayHeader: 'invocation function',
  markReplay: 'function',
  onReplay: 'invocation function',

  // What its effects need: `idempotent` has them in `effects`, and a handler that only returns writes has no use for these two.
  results: 'record flow invocation function',
  sql: 'record flow invocation',
  delays: 'record write flow invocation',
  payloads: 'record write flow invocation',
  sqs: 'record write flow invocation',
  sns: 'record write flow invocation',
  effects: 'function',

  // What sees it.
  logger: 'record write flow invocation function',
  metrics: 'record write flow invocation function',
  tracing: 'record write flow invocation',
  onSettled: 'record write flow',
  clock: 'record write flow invocation function',
} as const

/** The options that are given in one place. */
export type OptionOf<In extends Place> = {
  [Name in keyof typeof TABLE]: (typeof TABLE)[Name] extends `${string}${In}${string}`
    ? Name
    : never
}[keyof typeof TABLE]

/** @returns their names, in the order of the table */
export function optionsOf(place: Place): readonly string[] {
  return Object.entries(TABLE).flatMap(([name, places]) => (places.includes(place) ? [name] : []))
}
