import { writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { basename } from 'node:path'
import type { Context, SQSEvent } from 'aws-lambda'
import type { SqsHandler } from '../../../src/library/entries/consumer/recordHandler.ts'

/*
 * Loads a bundle as Lambda does, and invokes its handler once for each step that it is given. Writes what happened to file descriptor 3.
 */

/** One invocation. */
export interface Step {
  readonly event: SQSEvent
  /** Files that cannot be read in this step. */
  readonly unreadable?: readonly string[]
}

export interface Invoked {
  /** How many records stay on the queue, or why the invocation failed. */
  readonly kept: number | string
  /** The files that were loaded in this step. */
  readonly loaded: readonly string[]
}

const [bundle = '', steps = '[]'] = process.argv.slice(2)
let loaded: string[] = []
let unreadable: readonly string[] = []
registerHooks({
  load(url, context, next) {
    const name = basename(url)
    if (unreadable.includes(name)) throw new Error(`EIO: ${name}`)
    loaded.push(name)
    return next(url, context)
  },
})

const { handler } = (await import(bundle)) as { readonly handler: SqsHandler }
const invoked: Invoked[] = []
for (const [index, step] of (JSON.parse(steps) as readonly Step[]).entries()) {
  ;[loaded, unreadable] = [[], step.unreadable ?? []]
  invoked.push({ kept: await keptOf(step.event, index), loaded })
}
writeSync(3, JSON.stringify(invoked))
process.exit()

async function keptOf(event: SQSEvent, index: number): Promise<number | string> {
  const lambda = { functionName: 'orders', awsRequestId: String(index) }
  const context = { ...lambda, getRemainingTimeInMillis: () => 30_000 } as Context
  try {
    return (await handler(event, context)).batchItemFailures.length
  } catch (error) {
    return error instanceof Error ? error.message : 'failed'
  }
}
