import type { Deployment, UnreadResource } from '../deployment.ts'
import { mappedFunctions, roleOf, sources } from './mappedQueues.ts'
import { consumers, ownTable } from './ownership.ts'

/** What rules passed over, because it is elsewhere, or known only when it is deployed. */
export function unknownSettings(deployment: Deployment): UnreadResource[] {
  return [
    ...namedElsewhere(deployment),
    ...unknownValues(deployment),
    ...rolesElsewhere(deployment),
    ...tablesElsewhere(deployment),
  ]
}

const GIVE =
  'Give the template that makes it with another --template, or check the deployed queue: --queue'
const GIVE_VALUE =
  'Give its value (--parameter NAME=VALUE; of Terraform, the state after it is applied), or check what is deployed: --queue'

/** Only a template leaves out what a mapping or a queue names: an account's are found by their queues. */
function namedElsewhere(deployment: Deployment): UnreadResource[] {
  const { from, mappings, queues, functions } = deployment
  if (from === 'account') return []
  const named = [
    ...mappings.flatMap(({ id, queue, function: called }) => [
      [id, 'queue', queue, queues] as const,
      [id, 'function', called, functions] as const,
    ]),
    ...sources(deployment).flatMap(({ id, deadLetter }) =>
      deadLetter ? [[id, 'dead-letter queue', deadLetter.queue, queues] as const] : [],
    ),
  ]
  return named
    .filter(([, , name, here]) => !here.some(({ id }) => id === name))
    .map(([subject, what, name]) => ({
      subject,
      why: `its ${what} ${name} is not here`,
      cure: GIVE,
    }))
}

function unknownValues(deployment: Deployment): UnreadResource[] {
  const named = [
    ...deployment.subscriptions.map(
      ({ id, delivery }) => [id, 'whether raw delivery is on', delivery] as const,
    ),
    ...mappedFunctions(deployment).map(({ id, timeout }) => [id, 'its timeout', timeout] as const),
    ...deployment.mappings.flatMap(({ id, window, state }) => [
      [id, 'whether it is enabled', state] as const,
      [id, 'its batching window', window] as const,
    ]),
    ...sources(deployment).flatMap(({ id, visibilityTimeout, retention, deadLetter }) => [
      [id, 'its visibility timeout', visibilityTimeout] as const,
      [id, 'its retention', retention] as const,
      [
        id,
        'its maxReceiveCount',
        deadLetter === undefined ? 0 : deadLetter.maxReceiveCount,
      ] as const,
    ]),
  ]
  return named
    .filter(([, , value]) => value === undefined)
    .map(([subject, what]) => ({
      subject,
      why: `${what} is known only when it is deployed`,
      cure: GIVE_VALUE,
    }))
}

function rolesElsewhere(deployment: Deployment): UnreadResource[] {
  if (deployment.unchecked.some(({ part }) => part === 'roles')) return []
  return consumers(deployment)
    .filter((each) => roleOf(deployment, each) === undefined)
    .map(({ id, role }) => ({
      subject: id,
      why: `its role${role ? ` ${role}` : ''} is not here, so its permissions are unknown`,
      cure: 'Give the template that makes the role with another --template',
    }))
}

/** Without any table here, the rule `table` says so. */
function tablesElsewhere(deployment: Deployment): UnreadResource[] {
  if (deployment.from === 'account' || deployment.tables.length === 0) return []
  return consumers(deployment)
    .filter((each) => ownTable(deployment, each) === undefined)
    .map(({ id, marks }) => ({
      subject: id,
      why:
        marks.table === undefined
          ? 'it has no LINECLEAR_TABLE, and there is more than one table that may be its own'
          : `its table ${marks.table} is not here, so its permissions on it are unknown`,
      cure: 'Give the template that makes the table with another --template, or set LINECLEAR_TABLE to its name',
    }))
}
