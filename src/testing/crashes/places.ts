const ACCOUNT = '123456789012'
const REGION = 'eu-west-1'
/** Where the redrive policy of every queue leads. */
export const DEAD_LETTERS = 'dead-letters'

export function queueUrlOf(name: string): string {
  return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`
}

export function queueArnOf(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`
}

export function topicArnOf(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`
}

/** Of a URL or an ARN. */
export function nameIn(place: string): string {
  return /[^/:]+$/.exec(place)?.[0] ?? place
}
