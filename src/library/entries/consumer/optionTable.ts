/**
 * Where an option is given: to `recordHandler`, `writeHandler`, `defineFlow`, one of its stages or awaited steps,
 * `invocationHandler` or `idempotent`. A stage has the options of its flow beside its own, and so has the answer handler of a
 * step.
 */
export type OptionPlace = keyof typeof LETTERS

const LETTERS = {
  record: 'r',
  write: 'w',
  flow: 'f',
  stage: 's',
  step: 'a',
  invocation: 'i',
  function: 'c',
} as const

/** Every option of a handler, with a letter for each place where it is given. Elsewhere it is refused. */
const TABLE = {
  name: 'rwfic',
  store: 'rwfic',

  // What arrives, and whose request it is.
  schema: 'rwsa',
  formerNames: 'rwsa',
  parse: 'rw',
  envelopes: 'rwsa',
  queueUrl: 'rwsa',
  reportBatchItemFailures: 'rwf',
  id: 'rwfa',
  key: 'fic',
  sentAt: 'rwfi',
  mustAgree: 'rw',
  alreadyDone: 'rc',
  tenant: 'ic',
  payload: 'ic',
  hash: 'c',
  when: 'c',

  // Which request has its key, and for how long.
  stages: 'f',
  awaitingSteps: 'f',
  final: 's',
  process: 'f',
  onConflict: 'f',
  giveUpAfter: 'f',
  timeout: 'a',
  grace: 'a',
  lease: 'c',
  waitForOther: 'ic',
  retention: 'rwfic',

  // How it runs and ends.
  concurrency: 'rwsa',
  timeoutMargin: 'rwfi',
  circuitBreaker: 'rws',
  retry: 'rwf',
  deadLetterQueueUrl: 'rwsa',
  classify: 'ic',
  validResponse: 'ic',
  onReplay: 'ic',

  // What its effects need: `idempotent` has none, and a handler that only returns writes has no use for the first two.
  sql: 'rfi',
  delays: 'rwfi',
  offload: 'rwfic',
  clients: 'rwfi',

  // What sees it.
  logger: 'rwfic',
  metrics: 'rwfic',
  tracing: 'rwfi',
  onFailure: 'r',
  failures: 'f',
  dead: 'r',
  onSettled: 'rwf',
  clock: 'rwfic',
} as const

/** The options that are given in one place. */
export type OptionOf<In extends OptionPlace> = {
  [
    Name in keyof typeof TABLE
  ]: (typeof TABLE)[Name] extends `${string}${(typeof LETTERS)[In]}${string}` ? Name : never
}[keyof typeof TABLE]

/** @returns their names, in the order of the table */
export function optionsOf(place: OptionPlace): readonly string[] {
  const letter = LETTERS[place]
  return Object.entries(TABLE).flatMap(([name, places]) => (places.includes(letter) ? [name] : []))
}
