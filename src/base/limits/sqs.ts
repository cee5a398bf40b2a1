/**
 * Limits of SQS, as AWS documents them. Times are seconds, as in the API of SQS; sizes are bytes of UTF-8. Where no other page is
 * named: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
 */

/** The body with the names, types and values of its attributes: one message, and all messages of a batch together. */
export const messageBytes = 1_048_576
export const batchBytes = 1_048_576
export const batchEntries = 10
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatchRequestEntry.html */
export const batchEntryIdLength = 80
export const attributes = 10
/**
 * `A-Z a-z 0-9 _ - .`, without the prefix `AWS.` or `Amazon.`, without a period at either end, and without two periods in a row.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
export const attributeNameLength = 256
/** A message on a FIFO queue cannot have a delay of its own. */
export const delay = 900
/** Also the longest time since the first receive: no change can extend it further. */
export const visibility = 43_200
export const shortestRetention = 60
export const longestRetention = 1_209_600
export const longPoll = 20
/** MessageGroupId and MessageDeduplicationId: alphanumeric and punctuation characters. */
export const fifoIdLength = 128
/**
 * A second message with the same deduplication id is accepted but not delivered, even after the first was deleted.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/using-messagededuplicationid-property.html
 */
export const deduplicationWindow = 300
/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html */
export const largestReceiveCount = 1_000
