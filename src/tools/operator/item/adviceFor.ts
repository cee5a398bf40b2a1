import { errorShape } from '../text/errorShape.ts'
import { type Advice, isCuredByRedrive } from './advice.ts'
import { advise, type AdvisedCommand, type NextStep, nextStep, note } from './advise.ts'

/** The dead letters of a group, or of ids. */
export interface SelectedDeadLetters {
  /** Name of the dead-letter queue; undefined: not known. */
  readonly queue: string | undefined
  readonly by: { readonly group: string } | { readonly id: string | readonly string[] }
}

interface ReasonedDeadLetters extends SelectedDeadLetters {
  /** As the consumer wrote it. */
  readonly reason: string
  /** Its text, without what differs between those of a group. undefined: not known. */
  readonly error?: string | undefined
  /** `consumer/ID` of the one whose outcome is unknown; undefined: there are several, or it is of a flow. */
  readonly request?: string | undefined
  /** The consumer that wrote them; undefined: not known, or there are several. */
  readonly consumer?: string | undefined
}

/** The reader knows it. */
export const ASKED_QUEUE = { ask: 'queue', word: 'QUEUE', before: '' } as const

/** The command by the reason. `status` and `explain` advise by it, so that they never contradict each other. */
export function adviceFor(deadLetters: ReasonedDeadLetters): NextStep {
  const { reason, error, by, request } = deadLetters
  const cure = curedBefore(reason, error) ?? cureOf(reason)
  if (cure !== undefined) {
    const before = `${cure.once}, redrive ${'group' in by ? 'them' : 'its dead letter'}: `
    return nextStep(redriveCommand(deadLetters), cure.after(deadLetters), before)
  }
  const isOne = reason === 'unknown' && request !== undefined
  return nextStep(
    isOne ? { action: 'explain', positionals: { id: request } } : peekCommand(deadLetters),
    (ownOf(LOOKED_AT, reason) ?? readFirst)(deadLetters),
  )
}

export function redriveCommand(deadLetters: SelectedDeadLetters): AdvisedCommand {
  return { action: 'dlq.redrive', ...selected(deadLetters) }
}

/** What conflicts has never run. */
function ownRequest(deadLetters: SelectedDeadLetters): AdvisedCommand {
  const { options, ...redrive } = redriveCommand(deadLetters)
  return { ...redrive, options: { ...options, asNewRequest: true } }
}

export function discardCommand(deadLetters: SelectedDeadLetters): AdvisedCommand {
  return { action: 'dlq.discard', ...selected(deadLetters) }
}

/** Any sender can write any reason, also `constructor`. */
function ownOf<Value>(table: Readonly<Record<string, Value>>, reason: string): Value | undefined {
  return Object.hasOwn(table, reason) ? table[reason] : undefined
}

/** `peek` without a queue looks on all of them, and `edit` needs one. */
function peekCommand({ queue, by }: ReasonedDeadLetters): AdvisedCommand {
  return {
    action: 'dlq.peek',
    ...(queue !== undefined && { positionals: { queue } }),
    options: { ...by, body: true },
  }
}

type Afterwards = (deadLetters: ReasonedDeadLetters) => readonly Advice[]

/** With the same payload they complete, once something is done or over. */
interface Cure {
  readonly once: string
  readonly after: Afterwards
}

/** A variable of the environment that is missing, or a mistake in an option: the payload is good. */
const CONFIGURED: Cure = {
  once: 'when that is deployed',
  after: () => [note('its configuration was wrong: mend it, deploy, redrive')],
}

/** As SQS says it, of any queue that a handler sends to. */
const TOO_LARGE: Cure = {
  once: 'when that is deployed',
  after: () => [
    note(
      'it sends a message that is larger than its queue takes: give its consumer the option offload, or raise MaximumMessageSize of that queue; deploy, redrive',
    ),
  ],
}

/** What it calls refuses it for its rate: as HTTP, AWS and others say it. */
const REFUSED_FOR_RATE =
  /\b429\b|too ?many ?requests|throttl(?:ed|ing)|rate ?(?:limit ?)?(?:is |was )?(?:exceeded|limited)|slow ?down|(?:request|throughput) ?limit ?exceeded|ThroughputExceeded/i

const SLOWED: Cure = {
  once: 'when what refuses them takes more again',
  after: ({ consumer }) => [
    note(
      'it was refused for its rate: its payload and the code may be right. Wait, or let fewer run at once (MaximumConcurrency of the mapping), or ask for a higher limit',
    ),
    ...(consumer === undefined
      ? []
      : [
          advise(
            'until then: ',
            { action: 'pause', options: { consumer, for: '15m' } },
            { joined: '; ' },
          ),
        ]),
  ],
}

function curedBefore(reason: string, error = ''): Cure | undefined {
  if (reason === 'terminal') return deployedCure(error)
  // In the whole text any number may be 429.
  const { shape } = errorShape(error)
  return reason === 'exhausted' && REFUSED_FOR_RATE.test(shape) ? SLOWED : undefined
}

/** A handler says that no attempt can succeed, and the payload is good. */
function deployedCure(error: string): Cure | undefined {
  if (error.startsWith('ConfigError: ')) return CONFIGURED
  return /^SendFailedError: .*Message must be shorter than/.test(error) ? TOO_LARGE : undefined
}

function cureOf(reason: string): Cure | undefined {
  return isCuredByRedrive(reason) ? (ownOf(CURES, reason) ?? AFTER_THE_FIX) : undefined
}

const AFTER_THE_FIX: Cure = { once: 'after the fix', after: () => [] }

const CURES: Readonly<Record<string, Cure>> = {
  'too old': {
    once: 'if still wanted',
    after: (deadLetters) => [advise('otherwise: ', discardCommand(deadLetters))],
  },
  moved: {
    once: 'after the fix',
    after: () => [
      advise('whether its queue moves messages too early: ', {
        action: 'doctor',
        options: { queue: ASKED_QUEUE },
      }),
    ],
  },
  busy: {
    once: 'when the other request of its key has ended',
    after: () => [note('until the other request of its key has ended, a redrive is refused again')],
  },
}

/** A redrive alone is refused again, or dropped. The whole of each is one line. */
const LOOKED_AT: Readonly<Record<string, Afterwards>> = {
  rejected: (deadLetters) => [
    note('a redrive alone is rejected again'),
    ...(isNoJson(deadLetters) ? discardOrReplace(deadLetters) : correctOrDiscard(deadLetters)),
  ],
  terminal: (deadLetters) => [
    note('its handler says that no attempt can succeed'),
    advise('take it off the queue: ', discardCommand(deadLetters), { joined: '. ' }),
    note('or correct it (dlq edit) or the handler, then redrive it', { joined: '; ' }),
  ],
  conflict: (deadLetters) => [
    note(
      'another payload or answer was taken under the same id, so that a redrive conflicts again',
    ),
    ...(deadLetters.request === undefined
      ? []
      : [
          advise(
            'what is known of that one: ',
            { action: 'explain', positionals: { id: deadLetters.request } },
            { joined: '. ' },
          ),
        ]),
    advise('if that one was right: ', discardCommand(deadLetters), { joined: '. ' }),
    advise(
      'if both are wanted, send this one again under an id of its own: ',
      ownRequest(deadLetters),
      {
        joined: '; ',
      },
    ),
  ],
  unknown: () => [
    note(
      'whether a call was made is unknown, and a redrive alone is dropped. Check the outside system, then decide; explain ID names the commands',
    ),
  ],
  'wrong consumer': (deadLetters) => [
    note('another consumer has written it, so that its queue refuses it again'),
    toTheirQueue(deadLetters, 'send it to the queue of that one: '),
    note('or, if that one was renamed, set formerNames, deploy, and redrive it', { joined: '; ' }),
  ],
  'process changed': (deadLetters) =>
    afterDeployment(
      deadLetters,
      'the option process of the flow was changed since its key began, so that a redrive is refused again. Set process back and deploy, then: ',
    ),
  'unknown stage': (deadLetters) => unknownPlace(deadLetters, 'stage'),
  'unknown step': (deadLetters) => unknownPlace(deadLetters, 'step'),
  'not handed on': (deadLetters) => unknownPlace(deadLetters, 'stage'),
  'fan-out': (deadLetters) => [
    note(
      'its answer is for more runs than one invocation can serve, and a redrive is refused again: give each run an external id of its own, and answer these by lineclear decide FLOW/KEY answer',
    ),
    advise('when they are answered: ', discardCommand(deadLetters), { joined: '. ' }),
  ],
  'lost record': lostRecord,
  'lost step': lostRecord,
  'lost answer': (deadLetters) => [
    note(
      'an answer that it was given is gone from the table, so that a redrive is refused again: put it back and redrive it, or find out what was done and make the changes by hand',
    ),
    advise('then: ', discardCommand(deadLetters), { joined: '. ' }),
  ],
}

/** As `parsePayload` says it: no value of such a payload can be set. */
function isNoJson({ error = '' }: ReasonedDeadLetters): boolean {
  return error.startsWith('RejectedError: the body is not JSON')
}

function correctOrDiscard(deadLetters: ReasonedDeadLetters): readonly Advice[] {
  return [
    advise('correct it: ', editCommand(deadLetters), { after: ', then redrive it', joined: '. ' }),
    advise('or take it off the queue: ', discardCommand(deadLetters), { joined: '; ' }),
  ]
}

function discardOrReplace(deadLetters: ReasonedDeadLetters): readonly Advice[] {
  const whole = editCommand(deadLetters, '.=')
  return [
    advise('take it off the queue: ', discardCommand(deadLetters), { joined: '. ' }),
    advise('or, if it was to be a request, replace all of it: ', whole, {
      after: ', then redrive it',
      joined: '; ',
    }),
  ]
}

function lostRecord(deadLetters: ReasonedDeadLetters): readonly Advice[] {
  return [
    note(
      'an attempt of it is not recorded any more, so that a redrive is refused again: find out what was done',
    ),
    advise(
      'if nothing was done: ',
      { ...redriveCommand(deadLetters), last: ['--force'] },
      { after: ', or start the request of a flow again', joined: '. ' },
    ),
    advise('otherwise: ', discardCommand(deadLetters), { joined: '; ' }),
  ]
}

function unknownPlace(deadLetters: ReasonedDeadLetters, place: string): readonly Advice[] {
  return [
    ...afterDeployment(
      deadLetters,
      `its flow does not know the ${place}, or nothing has sent it there. If the ${place} was renamed, set formerNames and deploy, then: `,
    ),
    toTheirQueue(deadLetters, 'if it came to the wrong queue: '),
  ]
}

function afterDeployment(deadLetters: ReasonedDeadLetters, before: string): readonly Advice[] {
  return [advise(before, redriveCommand(deadLetters))]
}

function toTheirQueue(deadLetters: ReasonedDeadLetters, before: string): Advice {
  const { positionals, options, action } = redriveCommand(deadLetters)
  const to = { ask: 'queue', word: 'QUEUE', before: '' } as const
  return advise(
    before,
    { action, ...(positionals && { positionals }), options: { ...options, to } },
    { joined: '. ' },
  )
}

/** A reason that a later version, or another program, has written. */
function readFirst(deadLetters: ReasonedDeadLetters): readonly Advice[] {
  return afterDeployment(
    deadLetters,
    'this version does not know the reason: read its error first. Once its cause is repaired: ',
  )
}

/** @param path `.=`: of the whole payload */
function editCommand({ queue, by }: ReasonedDeadLetters, path: '' | '.=' = ''): AdvisedCommand {
  return {
    action: 'dlq.edit',
    positionals: { queue: queue ?? ASKED_QUEUE },
    options: {
      id: 'id' in by ? by.id : { ask: 'id', word: 'ID', before: '' },
      set: { ask: 'change', word: path === '' ? 'PATH=JSON' : 'JSON', before: path },
    },
  }
}

/** A queue that is not known: all of them. */
function selected({
  queue,
  by,
}: SelectedDeadLetters): Pick<AdvisedCommand, 'positionals' | 'options'> {
  return queue === undefined
    ? { options: { all: true, ...by } }
    : { positionals: { queue }, options: { ...by } }
}
