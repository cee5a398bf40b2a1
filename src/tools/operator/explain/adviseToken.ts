import * as DYNAMODB from '../../../library/base/limits/dynamodb.ts'
import { isoTime } from '../../../library/base/time.ts'
import { endedSilently } from '../../../library/protocol/claim/token/decideClaim.ts'
import type { Token } from '../../../library/protocol/claim/token/token.ts'
import { isIdempotencyKey } from '../../../library/entries/sweeper/address.ts'
import { splitId } from '../text/itemId.ts'
import { positionalWords } from '../text/commandLine.ts'
import { readLockedBy } from './insights.ts'
import type { Advice } from '../item/advice.ts'
import { adviceFor, discardCommand, redriveCommand } from '../item/adviceFor.ts'
import { advise, type AdvisedCommand, decideCommand, madeOption, note } from '../item/advise.ts'
import { isSilent, SILENCE } from '../item/silence.ts'
import { isReopened, unknownCalls, unknownOutcomes } from './tokenState.ts'
import { MOST_BYTES, roomBeside } from '../../../library/protocol/claim/room.ts'
import { itemBytes } from '../../../library/base/limits/wireValue.ts'
import type { Item } from '../../../library/protocol/store/store.ts'
import { toAttributeMap } from '../../../library/protocol/store/wire/attributes.ts'

export function adviseToken(token: Token, about: AboutToken): readonly Advice[] {
  const { status, leaseUntil } = token
  const { id, now, homeQueue, claimedAt } = about
  if (status === 'complete') return adviseResolved(token, about)
  if (isIdempotencyKey(token.pk)) return adviseKey(token, id, now)
  if (token.ending?.final === true && status !== 'ending') return adviseFinal(token, id, homeQueue)
  if (status === 'unknown' || status === 'error') return adviseParked(token, id, homeQueue)
  if (leaseUntil > now + LONGEST) return adviseAhead(token, id)
  if (leaseUntil > now && isSilent(token)) return [whereItHangs(token), READ_LOG]
  if (leaseUntil > now || token.notBefore > now || isTriedNow(token, now))
    return adviseTried(token, about)
  if (isReopened(token)) return adviseReopened(id, homeQueue)
  if (status === 'ending') return adviseEnding(id, homeQueue)
  return [
    advise('if it was done: ', resolve(id), { cure: true }),
    ...(leaseUntil > 0 ? [neverEnded(token, claimedAt)] : []),
    note(
      `if it was not: its message is redelivered when the visibility timeout of its queue is over. If nothing has come by then, SQS has moved it, or it is gone. Moved, it is on a dead-letter queue: lineclear redrive ${positionalWords(id)} finds it. If no queue has it: send it again, with the same payload and the same id. lineclear doctor --queue says whether its mapping deletes what fails (ReportBatchItemFailures)`,
    ),
  ]
}

/** The record has no more of it: Lambda's own lines tell a lack of memory from a timeout. */
function neverEnded({ attempt }: Token, claimedAt: number | undefined): Advice {
  const began = claimedAt === undefined ? 'at an unknown time' : isoTime(claimedAt)
  return note(
    `attempt ${attempt} began ${began} and never ended: it was ${SILENCE}. Which, only its log of that time says`,
  )
}

/** It goes on, and each of its attempts may end as those before. */
const READ_LOG = note(
  'read the log of its function, where it ends without a word: was it killed, or what did it wait for? Then give it more memory, or time, or mend what does not answer; it continues by itself',
  { cure: true },
)

const FUNCTION = { ask: 'id', word: 'FUNCTION', before: '' } as const

/** Attempts after which an error is no accident any more. */
const REPEATED = 3

/** A pause in its retries is no loss: the message of the next attempt takes a moment. Milliseconds. */
const MOMENT = 60_000

function isTriedNow({ attempt, error, leaseUntil, notBefore }: Token, now: number): boolean {
  return leaseUntil === 0 && error !== undefined && attempt >= REPEATED && notBefore > now - MOMENT
}

/** Marks of one item have no order, and a call that may be repeated is made without one. */
function whereItHangs(token: Token): Advice {
  const begun = unknownCalls(token)
  const made = [...token.applied, ...token.calls.keys()].filter((name) => !begun.includes(name))
  const after = made.length === 0 ? 'before its first mark' : `after ${made.toSorted().join(', ')}`
  const open =
    begun.length === 0
      ? 'no call is marked as begun: it hangs in its own code, or in a call with ifUnknown: repeat'
      : `begun, and no end yet: ${begun.join(', ')}`
  return note(
    `where it hangs: ${after}; ${open}. Where it timed out, the log names the calls that had not ended: openCalls`,
  )
}

/** Each attempt changes the plan of a decision, which is then refused when it is applied. */
function adviseTried(
  { attempt, error, status }: Token,
  { id, lockedBy }: AboutToken,
): readonly Advice[] {
  if (error === undefined || attempt < REPEATED || status === 'ending')
    return [note('nothing to do, it continues by itself', { cure: true })]
  const name = readLockedBy(lockedBy)?.functionName ?? FUNCTION
  const of = { function: name }
  return [
    note(
      'mend what its error names: it is tried again until its attempts or its time are spent; on a FIFO queue the others of its message group wait behind it',
      { cure: true },
    ),
    advise(
      'if no attempt can succeed, and it is not to run: 1. so that no attempt puts the plan out of date: ',
      { action: 'pause', options: { ...of, for: '15m' } },
    ),
    advise('2. when the attempt that still runs has ended: ', resolve(id), { joined: '; ' }),
    advise('3. those behind it go on: ', { action: 'resume', options: of }, { joined: '; ' }),
  ]
}

/** `onFailure` is due, and nothing runs it. */
function adviseEnding(id: string, queue: string | undefined): readonly Advice[] {
  const redrive = redriveCommand({ queue, by: { id: splitId(id).rest } })
  return [
    note('onFailure runs when its message is redelivered', { cure: true }),
    advise('if SQS has moved the message, or it is gone, redrive its dead letter: ', redrive),
  ]
}

/** The request itself never runs again. */
function adviseFinal({ ending }: Token, id: string, queue: string | undefined): readonly Advice[] {
  if (ending?.untold === undefined) {
    return [note('nothing to do: if it is wanted again, make a new request', { cure: true })]
  }
  const redrive = redriveCommand({ queue, by: { id: splitId(id).rest } })
  return [
    advise('to run its onFailure, and nothing else, redrive its dead letter: ', redrive, {
      cure: true,
    }),
  ]
}

/** Only its dead letter brings it back. */
function adviseReopened(id: string, queue: string | undefined): readonly Advice[] {
  const redrive = redriveCommand({ queue, by: { id: splitId(id).rest } })
  const again = 'if that is gone: send its message again, with the same payload and the same id'
  return [
    advise('it may run again, and waits for its message. Redrive its dead letter: ', redrive, {
      cure: true,
    }),
    note(again),
  ]
}

/** The longest lease that a right clock can write: Lambda's longest timeout, and time to spare. Milliseconds. */
const LONGEST = 30 * 60_000

/** Its messages wait for the end of the lease, also if the attempt has ended long ago. */
function adviseAhead(token: Token, id: string): readonly Advice[] {
  const free = decideCommand(id, 'free', { notDone: unknownCalls(token) })
  const before =
    'no function runs for so long: the clock of the one that has claimed it is ahead. If its log shows that the attempt has ended: '
  const after = ', and send it again: its message may be hidden for as long'
  return [advise(before, { ...free, last: ['--force'] }, { after, cure: true })]
}

interface AboutToken {
  readonly id: string
  readonly now: number
  /** Its dead letter is on this queue; undefined: not known. */
  readonly homeQueue: string | undefined
  /** Who holds it, or held it last, as its claim has written it. */
  readonly lockedBy?: string | undefined
  /** When it was claimed last, epoch milliseconds; undefined: not known. */
  readonly claimedAt?: number | undefined
  /** An operator has ended it as done, which takes no message off a queue. */
  readonly resolved?: boolean
}

/** Its dead letter stays on its queue, where `status` goes on listing it. */
function adviseResolved(
  { pk, death }: Token,
  { id, homeQueue, resolved = false }: AboutToken,
): readonly Advice[] {
  if (!resolved || death === 0 || isIdempotencyKey(pk)) return []
  const command = discardCommand({ queue: homeQueue, by: { id: splitId(id).rest } })
  return [advise('if its dead letter is still on its queue: ', command)]
}

/** A call whose outcome is unknown is looked up first; otherwise the usual cure of its dead letter comes first. */
function adviseParked(token: Token, id: string, homeQueue: string | undefined): readonly Advice[] {
  const doubtful = unknownCalls(token)
  const deadLetter = { queue: homeQueue, by: { id: splitId(id).rest } }
  if (token.status === 'unknown' || doubtful.length > 0) {
    return [
      note('check the outside system', { cure: true }),
      ...(doubtful.length > 0
        ? [...madeOrNot(id, doubtful), endIt(id)]
        : [endIt(id), ...releaseOrReopen(id)]),
      ...(token.death === 0
        ? []
        : [advise('when it may run again, redrive its dead letter: ', redriveCommand(deadLetter))]),
    ]
  }
  if (token.death === 0) {
    return [
      note('check whether it was done', { cure: true }),
      advise('if it was: ', resolve(id), { joined: '. ' }),
      ...releaseOrReopen(id),
    ]
  }
  return [
    ...adviceFor({
      ...deadLetter,
      reason: token.reason ?? 'exhausted',
      error: token.error,
      consumer: splitId(id).owner,
    }).advice,
    advise('if it was done meanwhile, or is not wanted any more: ', resolve(id)),
    ...(token.ending === undefined
      ? []
      : [
          advise(
            'if it is not wanted, and its onFailure is to take back what it made: ',
            decideCommand(id, 'drop'),
          ),
        ]),
    advise(
      'if its dead letter is not on the queue: ',
      { action: 'explain', options: { history: true } },
      { after: ' shows whether it was discarded' },
    ),
    advise('', RESTORE, { after: ' brings it back', joined: '; ' }),
    advise('without a dead letter: ', decideCommand(id, 'again'), {
      after: ', and send its message again under the same id',
    }),
  ]
}

const RESTORE: AdvisedCommand = {
  action: 'dlq.restore',
  positionals: { plan: { ask: 'plan', word: 'PLAN', before: '' } },
}

function resolve(id: string): AdvisedCommand {
  return decideCommand(id, 'done')
}

function endIt(id: string): Advice {
  return advise('if everything was done: ', resolve(id))
}

function madeOrNot(id: string, calls: readonly string[]): readonly Advice[] {
  const names = calls.map((call) => `'${call}'`).join(' and ')
  const subject = calls.length > 1 ? `the calls ${names} were` : `the call ${names} was`
  const again = (options: AdvisedCommand['options']): AdvisedCommand =>
    decideCommand(id, 'again', options)
  return [
    advise(`if ${subject} made: `, again(madeOption(calls)), {
      after: '; the rest runs',
      joined: '. ',
    }),
    advise(`if ${subject} not made: `, again({ notDone: calls }), { after: '; it is made again' }),
  ]
}

function releaseOrReopen(id: string): readonly Advice[] {
  return [
    advise('if it was not done: ', decideCommand(id, 'free')),
    advise('to run it again: ', decideCommand(id, 'again'), { joined: '; ' }),
  ]
}

function adviseKey(token: Token, id: string, now: number): readonly Advice[] {
  const { status, leaseUntil } = token
  const notDone = unknownOutcomes(token)
  const isAbandoned = token.parksAfterLease && endedSilently(token) && leaseUntil <= now
  if (status === 'unknown' || status === 'error' || isAbandoned) {
    return [
      note('check the outside system', { cure: true }),
      advise('if it was done: ', resolve(id), { joined: '. ' }),
      advise('if nothing was done: ', decideCommand(id, 'free', { notDone }), {
        after: '; the next call runs the whole section again',
      }),
    ]
  }
  if (leaseUntil <= now) {
    return [
      note('nothing to do, the next call for the key runs it', { cure: true }),
      advise('if it was done: ', resolve(id)),
    ]
  }
  return [
    note('nothing to do while the process that runs the call is alive', { cure: true }),
    advise('if its process is dead, and it has done nothing: ', {
      ...decideCommand(id, 'free', { notDone }),
      last: ['--force'],
    }),
  ]
}

/** The share from which on a record is nearly full. */
const NEARLY = 0.8

/**
 * Advice on a request that may go on, and whose item has little room left.
 * @param effects the names and results of its effects
 */
export function adviseRoom(
  item: Item,
  ...effects: Parameters<typeof roomBeside>
): readonly Advice[] {
  const bytes = itemBytes(toAttributeMap(item))
  const taken = MOST_BYTES - roomBeside(...effects)
  if (taken < NEARLY * MOST_BYTES && bytes < NEARLY * DYNAMODB.itemBytes) return []
  return [
    note(
      `its record is nearly full: ${bytes} of ${DYNAMODB.itemBytes} bytes; names and results of its effects have ${taken} of at most ` +
        `${MOST_BYTES}. An effect that has no room is refused before it begins (TerminalError, REQUEST_FULL), and so is each further attempt: ` +
        'deploy a handler that sends the rest as messages of their own (ctx.send), gives shorter names, or keeps results elsewhere ' +
        '(offload: s3Objects({ bucket })), then redrive it or call again. What is done is not repeated',
    ),
  ]
}
