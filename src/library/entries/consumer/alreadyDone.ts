import { ConfigError } from '../../base/errors.ts'
import { itemStore, type ItemStore } from '../../protocol/claim/itemStore.ts'
import { tokenKey } from '../../protocol/claim/token/token.ts'
import type { Claim, ClaimStrategy } from '../../run/deliver/claimStrategy.ts'
import type { Invocation } from '../../run/deliver/invocation.ts'
import { type IncomingRecord, scopeOf } from '../../run/deliver/readRecord.ts'
import { askElsewhere, type Elsewhere } from './elsewhere.ts'
import type { AnyRecordOptions } from './options.ts'

type Ask = NonNullable<AnyRecordOptions['alreadyDone']>

/** Asks before the first claim of a request whether what ran here before has done it. */
export function unlessDone(inner: ClaimStrategy, alreadyDone: Ask): ClaimStrategy {
  return {
    ...inner,
    claim: async (batch, invocation, ahead) => {
      const items = itemStore(invocation.consumer.store)
      const known = await Promise.all(
        batch.map((incoming) => ask({ incoming, invocation, items, alreadyDone })),
      )
      const open = batch.filter((_, at) => known[at] === undefined)
      const claims = open.length === 0 ? [] : [...(await inner.claim(open, invocation, ahead))]
      return known.flatMap((each) => each ?? claims.shift() ?? [])
    },
  }
}

interface Asked {
  readonly incoming: IncomingRecord
  readonly invocation: Invocation
  readonly items: ItemStore
  readonly alreadyDone: Ask
}

/** @returns undefined: the record is claimed as any other */
async function ask(asked: Asked): Promise<Claim | undefined> {
  const { message } = asked.incoming
  const { consumer, unlessOver } = asked.invocation
  const { resendNumber, death } = message.envelope.carried
  // Copies and dead letters are ours: an attempt here has made them.
  if (message.kind !== 'readable' || resendNumber > 0 || death !== undefined) return undefined
  const key = tokenKey(scopeOf(asked.incoming, consumer), message.uniqueRequestId)
  const elsewhere = await askElsewhere({
    read: () => asked.items.read(key),
    answer: () =>
      unlessOver((async () => ({ known: await asked.alreadyDone(message.payload, message) }))()),
  })
  return claimFor(elsewhere, asked)
}

function claimFor(
  elsewhere: Elsewhere,
  { invocation: { consumer }, incoming: { message } }: Asked,
): Claim | undefined {
  switch (elsewhere.kind) {
    case 'new':
      return undefined
    case 'done':
      return { kind: 'over', as: 'duplicate', about: { alreadyDone: 'done' } }
    case 'unread':
      return { kind: 'failed', error: elsewhere.error }
    case 'running':
      return { kind: 'busy', until: consumer.clock.now(), about: { alreadyDone: 'running' } }
    case 'not known': {
      const { error } = elsewhere
      const { uniqueRequestId } = message
      const level = error instanceof ConfigError ? 'error' : 'warn'
      const fields = { uniqueRequestId, error: error.message }
      consumer.logger[level]('not known whether it was done before: the record waits', fields)
      return { kind: 'busy', until: consumer.clock.now(), about: { alreadyDone: error.message } }
    }
  }
}
