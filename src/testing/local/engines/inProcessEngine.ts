import { answerTo, openOperations } from './dynamodb/operations.ts'
import { servePrograms } from './loopbackGuard.ts'

/** DynamoDB in this process, in memory. */
export async function startInProcess(): Promise<{
  readonly endpoint: string
  stop(): Promise<void>
}> {
  const operate = openOperations()
  return servePrograms(async ({ method, headers }, body) => {
    if (method !== 'POST') return { status: 200, body: 'healthy: dynamodb', connection: 'close' }
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? ''
    return { ...answerTo(operation, body, operate), type: 'application/x-amz-json-1.0' }
  })
}
