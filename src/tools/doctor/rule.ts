import type { Deployment, DeploymentPart } from './deployment.ts'

/**
 * `error`: loses or repeats work sooner or later. `warning`: makes a bad day worse. `question`: it cannot be seen from here
 * whether it is right. `note`: good to know, and no fault.
 */
export type Severity = 'error' | 'warning' | 'question' | 'note'

export interface DoctorFinding {
  readonly rule: string
  /** `unchecked`: what the rule examines could not be read. */
  readonly severity: Severity | 'unchecked'
  /** Logical name, address or ARN of the resource. */
  readonly subject: string
  readonly problem: string
  readonly consequence: string
  readonly cure: string
  /** URL of the AWS page that states the rule; '' where no rule was applied. */
  readonly source: string
}

/** A delivery rule: the resources it examines, and the problems it finds. Made by `rule`. */
export interface DeliveryRule {
  readonly id: string
  readonly needs: readonly DeploymentPart[]
  readonly source: string
  readonly check: (deployment: Deployment, expected: HandlerSettings) => readonly DoctorFinding[]
}

type Words<Wrong> = string | ((wrong: Wrong) => string)

/** @param given `find` gives what breaks the rule: the `id` is the subject, and a `severity` replaces that of the rule */
export function rule<Wrong extends { readonly id: string; readonly severity?: Severity }>(
  given: Omit<DeliveryRule, 'check'> & {
    readonly severity: Severity
    readonly find: (deployment: Deployment, expected: HandlerSettings) => readonly Wrong[]
    readonly problem: Words<Wrong>
    readonly consequence: Words<Wrong>
    readonly cure: Words<Wrong>
  },
): DeliveryRule {
  const { id, needs, source, severity, find, problem, consequence, cure } = given
  const said = (words: Words<Wrong>, wrong: Wrong): string =>
    typeof words === 'string' ? words : words(wrong)
  return {
    id,
    needs,
    source,
    check: (deployment, expected) =>
      find(deployment, expected).map((wrong) => ({
        rule: id,
        subject: wrong.id,
        severity: wrong.severity ?? severity,
        problem: said(problem, wrong),
        consequence: said(consequence, wrong),
        cure: said(cure, wrong),
        source,
      })),
  }
}

/** How the handlers are configured. Neither a template nor an account shows this. */
export interface HandlerSettings {
  /** Whether a handler has `delays: storedDelays()`; default `none`. */
  readonly delays: 'stored' | 'none'
  /** Whether a handler has `circuitBreaker: circuitBreaker(…)`; default `none`. */
  readonly circuitBreaker: 'used' | 'none'
}

const AWS = 'https://docs.aws.amazon.com'
export const SQS_PAGES: string = `${AWS}/AWSSimpleQueueService/latest/SQSDeveloperGuide`
export const SNS_PAGES: string = `${AWS}/sns/latest/dg`
export const LAMBDA_PAGES: string = `${AWS}/lambda/latest/dg`
export const DYNAMODB_PAGES: string = `${AWS}/amazondynamodb/latest/developerguide`
export const EVENTS_PAGES: string = `${AWS}/eventbridge/latest/userguide`
export const S3_PAGES: string = `${AWS}/AmazonS3/latest/userguide`
export const IAM_PAGES: string = `${AWS}/IAM/latest/UserGuide`
