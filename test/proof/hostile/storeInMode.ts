import type { Store } from '../../../src/library/protocol/store/store.ts'
import { faultMiddleware } from '../../../src/testing/local/faults/faultMiddleware.ts'
import { describeCall } from '../../../src/testing/local/observe/describeCall.ts'

/** A store in this process with the faults of a remote one: its calls get the faults of the SDK calls of an invocation. */
export function storeInMode<Given extends Store>(store: Given): Given {
  return {
    ...store,
    create: (items) => cross('create', () => store.create(items)),
    update: (updates) => cross('update', () => store.update(updates)),
    read: (keys, options) => cross('read', () => store.read(keys, options)),
    due: (query) => cross('due', () => store.due(query)),
    transact: (claim, write) => cross('transact', () => store.transact(claim, write)),
    readUser: (key) => cross('readUser', () => store.readUser(key)),
  }
}

/** There is no wire, so no half-open socket. */
const SEAM = faultMiddleware((call) => Promise.resolve(call), describeCall)

/** Tries again as the SDK does, with the same request. */
async function cross<Answer>(commandName: string, send: () => Promise<Answer>): Promise<Answer> {
  const seam = SEAM(async () => ({ output: { answer: await send() }, response: undefined }), {
    commandName,
  })
  for (;;) {
    try {
      const { output } = await seam({ input: {} })
      return (output as { readonly answer: Answer }).answer
    } catch (error) {
      if (!isTransient(error)) throw error
    }
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof Error && ['TimeoutError', 'ThrottlingException'].includes(error.name)
}
