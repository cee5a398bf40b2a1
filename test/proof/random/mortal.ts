import type { SQSClient } from '@aws-sdk/client-sqs'
import type { Store } from '../../../src/library/protocol/store/store.ts'

/** Which call of an invocation is its last, and whether it still takes place. */
export interface Crash {
  readonly at: number
  readonly applied: boolean
}

/** One invocation, which dies at a call: from then on no call is answered, and what it does has no effect. */
export interface Life {
  readonly died: Promise<'died'>
  lead<T>(call: () => Promise<T>): Promise<T>
}

export function openLife(crash: Crash | undefined): Life {
  const { promise: died, resolve: die } = Promise.withResolvers<'died'>()
  const silence = new Promise<never>(() => {})
  let calls = 0
  return {
    died,
    async lead(call) {
      calls += 1
      if (crash === undefined || calls < crash.at) return call()
      if (calls === crash.at && crash.applied) await call()
      die('died')
      return silence
    },
  }
}

export function mortalStore({ lead }: Life, store: Store): Store {
  return {
    create: (items) => lead(() => store.create(items)),
    update: (updates) => lead(() => store.update(updates)),
    read: (keys, options) => lead(() => store.read(keys, options)),
    due: (query) => lead(() => store.due(query)),
    transact: (claim, writes) => lead(() => store.transact(claim, writes)),
    readUser: (key) => lead(() => store.readUser(key)),
  }
}

export function mortalClient({ lead }: Life, sqs: Pick<SQSClient, 'send'>): SQSClient {
  const send = (command: Parameters<SQSClient['send']>[0]): Promise<unknown> =>
    lead(() => sqs.send(command))
  return { send } as unknown as SQSClient
}
