const ACCOUNT = '123456789012'
const REGION = 'eu-west-1'
const DEAD_LETTERS = 'dead-letters'
const FIFO = '.fifo'

/** Where the redrive policy of a queue leads: that of a FIFO queue to one of its kind. */
export function deadLettersOf(name: string): string {
  return isFifo(name) ? DEAD_LETTERS + FIFO : DEAD_LETTERS
}

export function isDeadLetters(name: string): boolean {
  return name === deadLettersOf(name)
}

export function isFifo(name: string): boolean {
  return name.endsWith(FIFO)
}

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
