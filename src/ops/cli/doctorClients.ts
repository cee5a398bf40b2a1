import type { MissingClient, LambdaReader, SnsReader } from '../doctor/index.ts'
import type { LocalEndpoints } from './readLocal.ts'
import type { CliProcess } from './process.ts'

export interface DoctorClients {
  readonly lambda: LambdaReader | MissingClient
  readonly sns: SnsReader | MissingClient
}

interface Shared {
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** @param local undefined: the account */
export async function doctorClients(
  cliProcess: Pick<CliProcess, 'lambda' | 'sns'>,
  shared: Shared,
  local: LocalEndpoints | undefined,
): Promise<DoctorClients> {
  const { loadLambdaReader, loadSnsReader } = await import('../doctor/index.ts')
  const config = { requestHandler: TIMES, ...shared }
  const account = local === undefined
  return {
    lambda: cliProcess.lambda ?? (account ? await loadLambdaReader(config) : NO_LAMBDA),
    sns:
      cliProcess.sns ??
      (account
        ? await loadSnsReader(config)
        : local.sns === undefined
          ? NO_SNS
          : await loadSnsReader({ ...config, endpoint: local.sns })),
  }
}

/** An operator waits at the terminal: short timeouts, in milliseconds. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }
const NO_LAMBDA = { why: 'the local cloud has no Lambda', cure: 'Give --template' }
const NO_SNS = { why: '.lineclear/local.json has no SNS endpoint', cure: 'Give --template' }
