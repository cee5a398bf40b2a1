import type { Lambda, LambdaClientConfig } from '@aws-sdk/client-lambda'
import type { SNSClientConfig } from '@aws-sdk/client-sns'
import { POLL_TIMES } from '../../../send/timeouts.ts'
import type { MissingClient, SnsReader } from './clients.ts'

/** Loads an optional peer dependency, which most users of the queue commands have not installed. */
export async function loadLambdaReader(
  config: LambdaClientConfig,
): Promise<Lambda | MissingClient> {
  return unlessMissing('@aws-sdk/client-lambda', async () => {
    const { Lambda } = await import('@aws-sdk/client-lambda')
    return new Lambda({ requestHandler: POLL_TIMES, ...config })
  })
}

export async function loadSnsReader(config: SNSClientConfig): Promise<SnsReader | MissingClient> {
  return unlessMissing('@aws-sdk/client-sns', async () => {
    const { SNS } = await import('@aws-sdk/client-sns')
    return new SNS({ requestHandler: POLL_TIMES, ...config })
  })
}

async function unlessMissing<Client>(
  name: string,
  load: () => Promise<Client>,
): Promise<Client | MissingClient> {
  try {
    return await load()
  } catch (error) {
    if (!isMissing(error, name)) throw error
    return { why: `${name} is not installed`, cure: `npm install ${name}, or give --template` }
  }
}

/** Whether the package itself is missing, and not one that it needs: that would be a broken installation. */
function isMissing(error: unknown, name: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes(`'${name}'`)
  )
}
