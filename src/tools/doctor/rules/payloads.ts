import { PAYLOAD_DAYS } from '../../../library/base/limits/lifetime.ts'
import type { DeployedBucket, Deployment, Role } from '../deployment.ts'
import { type DeliveryRule, rule, S3_PAGES } from '../rule.ts'
import { mappedQueues } from './mappedQueues.ts'
import { allows } from './permissions.ts'

/** The default of s3Objects. No resource shows another prefix, and the roles show which bucket has it. */
const PREFIX = 'lineclear/'

function payloadBuckets({ buckets, roles }: Deployment): readonly DeployedBucket[] {
  return buckets.filter((bucket) => roles.some((role) => names(role, bucket)))
}

function names({ statements }: Role, { id }: DeployedBucket): boolean {
  return statements.some(({ resources }) =>
    resources.some((resource) => resource.startsWith(`${id}/${PREFIX}`)),
  )
}

const DAY_S = 86_400
const CURE = `Expire them after ${PAYLOAD_DAYS} days (twice retention, and 30 days for two dead letters).`

export const PAYLOAD_RULES: readonly DeliveryRule[] = [
  rule({
    id: 'payloads-lifecycle',
    severity: 'warning',
    needs: ['events', 'roles'],
    source: `${S3_PAGES}/how-to-set-lifecycle-configuration-intro.html`,
    find: (deployment) => {
      const isSoon = (days: number): boolean => days > longestIn(deployment) && days < PAYLOAD_DAYS
      return payloadBuckets(deployment)
        .map(({ id, expirations }) => ({ id, days: expirationOf(expirations) }))
        .filter(({ days }) => days === undefined || isSoon(days))
    },
    problem: ({ days }) =>
      days === undefined
        ? `No lifecycle rule expires what is below ${PREFIX}.`
        : `A lifecycle rule expires payloads after ${days} days.`,
    consequence: ({ days }) =>
      days === undefined
        ? 'Payloads of messages stay for ever: nothing else deletes them.'
        : 'A message that was delayed (storedDelays), or whose sender was redriven, can be run or redriven later than that, and finds no payload.',
    cure: CURE,
  }),
  rule({
    id: 'payloads-expire-early',
    severity: 'error',
    needs: ['events', 'queues', 'roles'],
    source: `${S3_PAGES}/lifecycle-expire-general-considerations.html`,
    find: (deployment) => {
      const longest = longestIn(deployment)
      return payloadBuckets(deployment).flatMap(({ id, expirations }) => {
        const days = expirationOf(expirations)
        return days === undefined || days > longest ? [] : [{ id, days, longest }]
      })
    },
    problem: ({ days, longest }) =>
      `A lifecycle rule expires payloads after ${days} days, and a queue keeps messages for ${longest}.`,
    consequence: 'Messages and dead letters outlive their payload, and cannot be run any more.',
    cure: CURE,
  }),
  rule({
    id: 'payloads-permissions',
    severity: 'error',
    needs: ['events', 'functions', 'mappings', 'roles'],
    source: `${S3_PAGES}/security_iam_service-with-iam.html`,
    find: (deployment) => {
      const consumers = new Set(mappedQueues(deployment).map((mapped) => mapped.function.role))
      const roles = deployment.roles.filter(({ id }) => consumers.has(id))
      return payloadBuckets(deployment).flatMap(({ id }) => {
        const objects = `${id}/${PREFIX}`
        return roles
          .filter((role) => allows(role, 's3:GetObject', `${objects}x`))
          .filter((role) => !allows(role, 's3:PutObject', `${objects}x`))
          .map((role) => ({ ...role, objects }))
      })
    },
    problem: ({ objects }) => `It may read ${objects}*, and not write it.`,
    consequence:
      'A dead letter at the very limit of its size has nowhere to go, and stays on its queue.',
    cure: ({ objects }) => `Allow s3:PutObject on ${objects}*, too.`,
  }),
]

/** Days. */
function longestIn({ queues }: Deployment): number {
  return Math.max(0, ...queues.map(({ retention }) => retention ?? 0)) / DAY_S
}

/** Days. A rule for a part of the prefix spares the rest. */
function expirationOf(expirations: DeployedBucket['expirations']): number | undefined {
  const all = expirations.filter(({ prefix }) => PREFIX.startsWith(prefix))
  return all.length === 0 ? undefined : Math.min(...all.map(({ days }) => days))
}
