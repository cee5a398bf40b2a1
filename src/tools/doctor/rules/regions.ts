import { DYNAMODB_PAGES, LAMBDA_PAGES, SQS_PAGES, type DeliveryRule } from '../rule.ts'
import { mappedQueues, redrivePairs } from './mappedQueues.ts'

/** Whether two resources are known to be in different Regions. */
function apart(a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b
}

const mapping: DeliveryRule = {
  id: 'mapping-region',
  severity: 'error',
  needs: ['mappings', 'functions'],
  source: `${LAMBDA_PAGES}/services-sqs-configure.html`,
  check: (deployment) =>
    mappedQueues(deployment)
      .filter(({ queue, function: { region } }) => apart(queue.region, region))
      .map(({ mapping: { id }, queue, function: found }) => ({
        subject: id,
        problem: `${queue.id} is in ${queue.region}, ${found.id} in ${found.region}.`,
        consequence:
          'Lambda refuses the mapping: a function consumes queues of its own Region only.',
        cure: 'Deploy both into one Region.',
      })),
}

const deadLetters: DeliveryRule = {
  id: 'dead-letter-region',
  severity: 'error',
  needs: [],
  source: `${SQS_PAGES}/sqs-dead-letter-queues.html`,
  check: (deployment) =>
    redrivePairs(deployment)
      .filter(({ source, target }) => apart(source.region, target.region))
      .map(({ source, target }) => ({
        subject: source.id,
        problem: `It is in ${source.region}, its dead-letter queue ${target.id} in ${target.region}.`,
        consequence: 'SQS refuses the redrive policy, and the deployment fails.',
        cure: 'Deploy both into one Region.',
      })),
}

const table: DeliveryRule = {
  id: 'table-region',
  severity: 'warning',
  needs: ['mappings', 'functions', 'table'],
  source: `${DYNAMODB_PAGES}/V2globaltables_HowItWorks.html`,
  check: (deployment) => {
    const { table: found } = deployment
    if (found === undefined || found.regions.length > 1) return []
    return mappedQueues(deployment)
      .filter(({ function: { region } }) => apart(region, found.region))
      .map(({ function: { id, region } }) => ({
        subject: id,
        problem: `It is in ${region}, the table ${found.id} in ${found.region}.`,
        consequence: 'Every claim crosses Regions: a fault of either one stops the consumer.',
        cure: 'Deploy the table and its consumers into one Region.',
      }))
  },
}

export const REGION_RULES: readonly DeliveryRule[] = [mapping, deadLetters, table]
