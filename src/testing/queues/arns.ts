const ACCOUNT = '123456789012'
const REGION = 'eu-west-1'
const DEAD_LETTERS = 'dead-letters'
const FIFO = '.fifo'

/** The dead-letter queue of a queue; a FIFO queue has a FIFO one. */
export function deadLetterQueueName(name: string): string {
  return isFifoName(name) ? DEAD_LETTERS + FIFO : DEAD_LETTERS
}

export function isDeadLetterQueue(name: string): boolean {
  return name === deadLetterQueueName(name)
}

export function isFifoName(name: string): boolean {
  return name.endsWith(FIFO)
}

export function memoryQueueUrl(name: string): string {
  return `https://sqs.${REGION}.amazonaws.com/${ACCOUNT}/${name}`
}

export function memoryQueueArn(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`
}

export function memoryTopicArn(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`
}

/** The name at the end of a URL or an ARN. */
export function lastSegment(target: string): string {
  return /[^/:]+$/.exec(target)?.[0] ?? target
}
