import type { Context } from 'aws-lambda'
import { systemClock } from '../../src/library/base/clock.ts'
import type { EffectScope } from '../../src/library/run/context/effectScope.ts'
import { openContext, type OpenContext } from '../../src/library/run/context/openContext.ts'
import { readEnvelope } from '../../src/library/protocol/record/envelope/readEnvelope.ts'
import { claimTokens } from '../claim/token/given.ts'
import { tokenKey } from '../../src/library/protocol/claim/token/token.ts'
import { tokenHold } from '../../src/library/protocol/claim/token/tokenHold.ts'
import type { Logger } from '../../src/library/base/logger.ts'
import type { ResultStore } from '../../src/library/run/context/results/resultStore.ts'
import type { Messenger, QueueMessage } from '../../src/library/protocol/send/messenger.ts'
import type { Store } from '../../src/library/protocol/store/store.ts'
import {
  memoryStore,
  type MemoryStore,
} from '../../src/library/adapters/store/memory/memoryStore.ts'
import { sqsRecord } from '../../src/testing/events/sqsEvent.ts'

export const NOW: number = Date.UTC(2026, 0, 1)
export const ID = 'order-1'

export interface Attempt extends OpenContext {
  readonly scope: EffectScope
}

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Claims the request, as the attempt of this name, after the attempt that had it before. `through` is what the attempt writes by. */
export async function attemptOf(
  store: MemoryStore,
  name: string,
  through: Store = store,
  consumer = 'orders',
  results?: ResultStore,
  logger: Logger = SILENT,
): Promise<Attempt> {
  const [standing] = store.items()
  const now = Math.max(NOW, Number(standing?.['leaseUntil'] ?? 0))
  const { pk } = tokenKey(consumer, ID)
  const until = now + 1_000
  const [claim] = await claimTokens(
    store,
    [
      {
        pk,
        attemptId: name,
        lockedBy: name,
        leaseUntil: until,
        expectedCompletion: until,
        maxAttempts: 100,
        payloadHash: undefined,
        trustsUnhashed: true,
        resendNumber: 0,
        death: undefined,
        deadLetter: false,
        refused: false,
        refusal: undefined,
        readFirst: true,
        ahead: false,
      },
    ],
    now,
  )
  if (claim?.kind !== 'claimed') throw new Error(`not claimed: ${claim?.kind}`)
  const hold = tokenHold({
    token: claim.token,
    store: through,
    commit: async (update) => {
      const [outcome] = await through.update([update])
      return outcome ?? { kind: 'failed', error: new Error('no outcome') }
    },
    now: () => now,
    retention: 86_400_000,
  })
  const scope: EffectScope = { store: through, consumer, uniqueRequestId: ID, hold }
  return { scope, ...open(scope, results, logger) }
}

function open(scope: EffectScope, results: ResultStore | undefined, logger: Logger): OpenContext {
  const record = sqsRecord({}, { sentAt: NOW })
  const envelope = readEnvelope(record, { topics: undefined, now: NOW })
  return openContext({
    scope,
    envelope,
    sentAt: NOW,
    signal: new AbortController().signal,
    remainingTime: () => 1_000,
    logger,
    count: () => {},
    lambda: {} as Context,
    now: () => NOW,
    results: { store: results, clock: systemClock, keepFor: 86_400_000 },
  })
}

export function store(): MemoryStore {
  return memoryStore()
}

export interface Letterbox extends Messenger {
  readonly sent: { readonly target: string; readonly message: QueueMessage }[]
}

/** Accepts everything that `refuses` does not refuse. */
export function letterbox(
  refuses: (target: string) => Error | undefined = () => undefined,
): Letterbox {
  const sent: Letterbox['sent'] = []
  const take = async (
    target: string,
    messages: readonly QueueMessage[],
  ): Promise<(Error | undefined)[]> =>
    messages.map((message) => {
      sent.push({ target, message })
      return refuses(target)
    })
  const never = (): never => {
    throw new Error('not asked for here')
  }
  return { sent, send: take, publish: take, hide: never, remove: never, deadLetterQueueOf: never }
}

export function idOf(message: QueueMessage): string | undefined {
  const attribute = message.attributes['uniquerequestid']
  return attribute !== undefined && 'StringValue' in attribute ? attribute.StringValue : undefined
}
