import type { Deployment } from '../deployment.ts'
import type { DoctorFinding } from '../rule.ts'

const CLOUDWATCH = 'https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring'
const CLOUDFORMATION = 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide'

/**
 * What two environments of one account and Region would have in common, such as two stages of one application: names, and alarms on
 * what the other one reports as well.
 */
export function collisionsOf(one: Deployment, other: Deployment): readonly DoctorFinding[] {
  return [...sameNames(one, other), ...sameMetrics(one, other)]
}

function sameNames(one: Deployment, other: Deployment): readonly DoctorFinding[] {
  const theirs = new Map(other.names.map(({ id, type, name }) => [`${type} ${name}`, id]))
  return one.names.flatMap(({ id, type, name }) => {
    const of = theirs.get(`${type} ${name}`)
    const known = certaintyOf(name)
    if (of === undefined || known === 'of the stack') return []
    const isKnown = known === 'fixed'
    return [
      {
        rule: 'same-name',
        severity: isKnown ? 'error' : 'question',
        subject: id,
        problem: isKnown
          ? `Its name ${name} is also that of ${of} in the other environment.`
          : `Its name ${name}, as that of ${of} in the other environment, is known only when it is deployed.`,
        consequence:
          'With one name the second environment cannot be deployed, or it shares what the first one stores, and each takes the requests of the other for its own.',
        cure: 'Make the name of that of the stack (${AWS::StackName}-…), or give its parameter a default of its own in each template: --parameter is not for --beside.',
        source: `${CLOUDFORMATION}/aws-properties-name.html`,
      },
    ]
  })
}

/** Texts that are the same in every stack of one account and Region. */
const OF_ACCOUNT = /\$\{AWS::(?:AccountId|Region|Partition|URLSuffix)\}/g

function certaintyOf(name: string): 'fixed' | 'of the stack' | 'not known' {
  if (/\$\{AWS::Stack(?:Name|Id)\}/.test(name)) return 'of the stack'
  return name.replaceAll(OF_ACCOUNT, '').includes('${') ? 'not known' : 'fixed'
}

function sameMetrics(one: Deployment, other: Deployment): readonly DoctorFinding[] {
  const theirs = new Set(other.alarms.map(({ watches }) => watches))
  const shared = one.alarms.filter(({ watches }) => watches !== undefined && theirs.has(watches))
  return shared.map(({ id, metric }) => ({
    rule: 'same-metric',
    severity: 'error',
    subject: id,
    problem: `It watches ${metric} under dimensions under which the other environment reports it, too.`,
    consequence:
      'It stays quiet about what is silent here while the other one works, and goes off for the other one.',
    cure: 'Give it the dimension table, with the name of its own table.',
    source: `${CLOUDWATCH}/cloudwatch_concepts.html`,
  }))
}
