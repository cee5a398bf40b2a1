/**
 * Limits of SQS, as AWS documents them. Times are seconds, as in the API of SQS; sizes are bytes of UTF-8. Where no other page is
 * named: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */

/** The body with the names, types and values of its attributes: one message, and all messages of a batch together. */
export const messageBytes = 1_048_576
export const batchBytes = 1_048_576
export const batchEntries = 10
export const attributes = 10
/** A message on a FIFO queue cannot have a delay of its own. */
export const delay = 900
/** Also the longest time since the first receive: no change can extend it further. */
export const visibility = 43_200
export const longestRetention = 1_209_600
export const longPoll = 20
/** MessageGroupId and MessageDeduplicationId: alphanumeric and punctuation characters. */
export const fifoIdLength = 128
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
export const largestReceiveCount = 1_000
