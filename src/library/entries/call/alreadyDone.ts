import { ConfigError, StoreUnavailableError } from '../../base/errors.ts'
import { onlyOutcome } from '../../protocol/store/store.ts'
import { askElsewhere } from '../consumer/elsewhere.ts'
import type { IdempotencyConfig } from './config.ts'
import type { CallRefusal } from './refusal.ts'

/** @returns why the key is not claimed; undefined: it is claimed as any other */
export async function refusalFromElsewhere<Args extends readonly unknown[], Output>(
  { options: { alreadyDone }, store, clock }: IdempotencyConfig<Args, Output>,
  args: Args,
  pk: string,
): Promise<CallRefusal | undefined> {
  if (alreadyDone === undefined) return undefined
  const elsewhere = await askElsewhere({
    read: async () => onlyOutcome(await store.read([{ pk, sk: 'token' }], { consistent: true })),
    answer: async () => ({ known: await alreadyDone(...args) }),
  })
  switch (elsewhere.kind) {
    case 'new':
      return undefined
    case 'done':
      return { kind: 'done elsewhere' }
    case 'running':
      return { kind: 'running', until: clock.now() }
    case 'unread':
      return { kind: 'unavailable', error: elsewhere.error }
    case 'not known': {
      const { error } = elsewhere
      if (error instanceof ConfigError) return { kind: 'misconfigured', why: error.message }
      const why = `alreadyDone: ${error.message}; nothing was run`
      return { kind: 'unavailable', error: new StoreUnavailableError(why, { cause: error }) }
    }
  }
}
