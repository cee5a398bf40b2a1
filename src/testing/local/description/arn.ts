/** The region of the local engines. */
export const REGION = 'us-east-1'
export const ACCOUNT = '000000000000'

export function localQueueArn(name: string): string {
  return `arn:aws:sqs:${REGION}:${ACCOUNT}:${name}`
}

export function localTopicArn(name: string): string {
  return `arn:aws:sns:${REGION}:${ACCOUNT}:${name}`
}

export function localBusArn(name: string): string {
  return `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${name}`
}

/**
 * fauxqs's own URLs point to `sqs.us-east-1.localhost`, which many machines do not resolve. The SDK would use that host when
 * its endpoint comes from the environment.
 */
export function queueUrlAt(endpoint: string, name: string): string {
  return `${endpoint}/${ACCOUNT}/${name}`
}

/** The function that consumes a queue, in the queue's region and account. */
export function functionArnOf(queueArn: string, functionName: string): string {
  const [, partition, , region, account] = queueArn.split(':')
  return `arn:${partition}:lambda:${region}:${account}:function:${functionName}`
}

export function nameOf(arn: string): string {
  return arn.split(':').at(-1) ?? ''
}
