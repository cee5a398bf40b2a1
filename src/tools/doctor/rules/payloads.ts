import { PAYLOAD_DAYS } from '../../../base/limits/lifetime.ts'
import type { DeployedBucket, Deployment, Role } from '../deployment.ts'
import { type DeliveryRule, S3_PAGES } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'
import { allows } from './permissions.ts'

/** The default of s3Payloads. No resource shows another one, and which bucket has it is told by the roles. */
const PREFIX = 'lineclear-payloads/'

function payloadBuckets({ buckets, roles }: Deployment): readonly DeployedBucket[] {
  return buckets.filter((bucket) => roles.some((role) => names(role, bucket)))
}

function names({ statements }: Role, { id }: DeployedBucket): boolean {
  return statements.some(({ resources }) =>
    resources.some((resource) => resource.startsWith(`${id}/${PREFIX}`)),
  )
}

const DAY_S = 86_400

const lifecycle: DeliveryRule = {
  id: 'payloads-lifecycle',
  severity: 'warning',
  needs: ['events', 'roles'],
  source: `${S3_PAGES}/how-to-set-lifecycle-configuration-intro.html`,
  check: (deployment) => {
    const longest = longestInQueue(deployment)
    return payloadBuckets(deployment).flatMap(({ id: subject, expirations }) => {
      const days = expirationOf(expirations)
      if (days === undefined) return [{ subject, ...FOR_EVER }]
      return days > longest && days < PAYLOAD_DAYS ? [{ subject, ...soon(days) }] : []
    })
  },
}

const CURE = `Expire them after ${PAYLOAD_DAYS} days (twice retention, and 30 days for two dead letters).`
const FOR_EVER = {
  problem: `No lifecycle rule expires what is below ${PREFIX}.`,
  consequence: 'Payloads of messages stay for ever: nothing else deletes them.',
  cure: CURE,
}
const soon = (days: number) => ({
  problem: `A lifecycle rule expires payloads after ${days} days.`,
  consequence:
    'A message that was delayed (storedDelays), or whose sender was redriven, can be run or redriven later than that, and finds no payload.',
  cure: CURE,
})

/** Days. */
function longestInQueue({ queues }: Deployment): number {
  return Math.max(0, ...queues.map(({ retention }) => retention ?? 0)) / DAY_S
}

const early: DeliveryRule = {
  id: 'payloads-expire-early',
  severity: 'error',
  needs: ['events', 'queues', 'roles'],
  source: `${S3_PAGES}/lifecycle-expire-general-considerations.html`,
  check: (deployment) => {
    const longest = longestInQueue(deployment)
    return payloadBuckets(deployment).flatMap(({ id, expirations }) => {
      const days = expirationOf(expirations)
      if (days === undefined || days > longest) return []
      return [
        {
          subject: id,
          problem: `A lifecycle rule expires payloads after ${days} days, and a queue keeps messages for ${longest}.`,
          consequence:
            'Messages and dead letters outlive their payload, and cannot be run any more.',
          cure: CURE,
        },
      ]
    })
  },
}

/** Days. A rule for a part of the prefix spares the rest. */
function expirationOf(expirations: DeployedBucket['expirations']): number | undefined {
  const all = expirations.filter(({ prefix }) => PREFIX.startsWith(prefix))
  return all.length === 0 ? undefined : Math.min(...all.map(({ days }) => days))
}

const permissions: DeliveryRule = {
  id: 'payloads-permissions',
  severity: 'error',
  needs: ['events', 'functions', 'mappings', 'roles'],
  source: `${S3_PAGES}/security_iam_service-with-iam.html`,
  check: (deployment) => {
    const consumers = new Set(mappedQueues(deployment).map((mapped) => mapped.function.role))
    return payloadBuckets(deployment).flatMap(({ id }) =>
      deployment.roles
        .filter(
          (role) => consumers.has(role.id) && allows(role, 's3:GetObject', `${id}/${PREFIX}x`),
        )
        .filter((role) => !allows(role, 's3:PutObject', `${id}/${PREFIX}x`))
        .map((role) => ({
          subject: role.id,
          problem: `It may read ${id}/${PREFIX}*, and not write it.`,
          consequence:
            'A dead letter at the very limit of its size has nowhere to go, and stays on its queue.',
          cure: `Allow s3:PutObject on ${id}/${PREFIX}*, too.`,
        })),
    )
  },
}

export const PAYLOAD_RULES: readonly DeliveryRule[] = [lifecycle, early, permissions]
