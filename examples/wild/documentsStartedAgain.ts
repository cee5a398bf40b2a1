import type { SQSEvent } from 'aws-lambda'
import { recordHandler } from 'lineclear'
import { memoryCloud } from 'lineclear/testing'

/**
 * https://github.com/aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws/issues/904 and 989: the
 * function dies within its batch, the whole batch is delivered again, and what was started is started again under a random name.
 * There 4,384 uploads became 14,727 executions.
 */
const DOCUMENTS = ['a.pdf', 'b.pdf', 'c.pdf']

/** Step Functions: starting a name that it knows starts nothing. The answer to the second call is lost. */
function stepFunctions() {
  const executions = new Set<string>()
  let calls = 0
  return {
    executions,
    async start(name: string): Promise<void> {
      executions.add(name)
      if ((calls += 1) === 2) throw new Error('timed out')
    },
  }
}

export async function before(): Promise<object> {
  const cloud = memoryCloud({ queues: { documents: { visibilityTimeout: 30 } } })
  const { start, executions } = stepFunctions()
  const handler = async ({ Records }: SQSEvent): Promise<void> => {
    for (const _ of Records) await start(crypto.randomUUID())
  }
  for (const document of DOCUMENTS) cloud.send('documents', { document })
  await cloud.deliver('documents', handler).catch(() => {})
  await cloud.drain({ documents: handler })
  return { executions: executions.size }
}

export async function after(): Promise<object> {
  const cloud = memoryCloud({ queues: { documents: { visibilityTimeout: 30 } } })
  const { start, executions } = stepFunctions()
  const { store, clients, clock, logger } = cloud
  const documents = recordHandler({ name: 'documents', store, clients, clock, logger }, (_, ctx) =>
    ctx.call('start', ({ idempotencyKey }) => start(idempotencyKey)),
  )
  for (const document of DOCUMENTS) cloud.send('documents', { document })
  await cloud.drain({ documents })
  return { executions: executions.size }
}
