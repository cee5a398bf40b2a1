import { ConfigError } from '../base/errors.ts'
import { lazily } from '../base/lazily.ts'

export type SqsSdk = typeof import('@aws-sdk/client-sqs')
export type SnsSdk = typeof import('@aws-sdk/client-sns')

/** Loaded at the first message, so that a consumer that sends nothing does not pay for its start-up. */
export const sqsSdk: () => Promise<SqsSdk> = lazily(() => import('@aws-sdk/client-sqs'))
export const snsSdk: () => Promise<SnsSdk> = lazily(loadSns)

/**
 * Loads an optional peer dependency. Inside `try`, esbuild leaves the import of a missing package as it is; elsewhere it would
 * refuse to bundle a function that never publishes.
 */
async function loadSns(): Promise<SnsSdk> {
  try {
    return await import('@aws-sdk/client-sns')
  } catch (error) {
    throw new ConfigError(
      'ctx.publish: the package @aws-sdk/client-sns cannot be loaded; nothing was published. ' +
        'Run `npm install @aws-sdk/client-sns` and bundle the function again.',
      { cause: error },
    )
  }
}
