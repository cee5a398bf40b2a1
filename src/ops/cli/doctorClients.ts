import type { Absent, LambdaReader, SnsReader } from '../doctor/index.ts'
import type { Local } from './readLocal.ts'
import type { World } from './process.ts'

export interface DoctorClients {
  readonly lambda: LambdaReader | Absent
  readonly sns: SnsReader | Absent
}

interface Shared {
  readonly region?: string
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string }
}

/** @param local undefined: the account */
export async function doctorClients(
  world: Pick<World, 'lambda' | 'sns'>,
  shared: Shared,
  local: Local | undefined,
): Promise<DoctorClients> {
  const { loadLambda, loadSns } = await import('../doctor/index.ts')
  const config = { requestHandler: TIMES, ...shared }
  const account = local === undefined
  return {
    lambda: world.lambda ?? (account ? await loadLambda(config) : NO_LAMBDA),
    sns:
      world.sns ??
      (account
        ? await loadSns(config)
        : local.sns === undefined
          ? NO_SNS
          : await loadSns({ ...config, endpoint: local.sns })),
  }
}

/** A person waits for an answer, but not for ever. Milliseconds. */
const TIMES = { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true }
const NO_LAMBDA = { why: 'the local cloud has no Lambda', cure: 'Give --template' }
const NO_SNS = { why: '.lineclear/local.json names no SNS', cure: 'Give --template' }
