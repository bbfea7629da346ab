// Package host contains no code. It documents which part of a server knows what about a job, and which part is
// right when two of them disagree.
//
//   - The database (store) is the source of truth: whether a job waits, is dispatched, or has ended,
//     and its result. Each generation of a job has a number, and each job a token.
//   - The queue (queue) holds a lease: which worker has a job, until the worker sends the result or
//     is silent for 20 s. The queue may lose all its data at any time.
//   - A worker (worker) knows which jobs it runs. It names them in a heartbeat every 5 s, and keeps
//     a result on its disk until the server has stored it.
//   - The dispatcher (dispatch) has a view in memory: which workers are online and claim to run which
//     jobs, which ones failed, and with which ones others disagree. The view is lost when the process
//     exits.
//
// This happens when they disagree, with the tests that check it:
//
//	the database says dispatched, but neither the queue nor a worker has the job:
//	    it waits again, after earlier results have been handled     dispatch: TestTheQueueLostAll, TestResultsAreTakenFirst
//	the database says waiting, but the queue already has the job:
//	    it is marked as dispatched, and not enqueued twice          dispatch: TestWhoLostTheLead
//	the database says ended, but the queue or a worker has the job:
//	    it is removed from the queue, and the worker stops it       dispatch: TestCancel, TestCancelledWhileItIsGivenOut
//	the queue has the job, but delivers it to no worker although some wait:
//	    the queue is created again                                  dispatch: TestAQueueThatHoldsJobsBack
//	the queue has the job, but the worker that took it does not name it:
//	    it is released                                              queue: TestAWorkerThatStartsAnewHoldsNothing
//	a worker names a job in its heartbeats, but makes no progress:
//	    another worker gets it, and the claim is ignored            dispatch: TestAJobThatIsHeldForLong
//	two workers have a result of one job:
//	    the first remains; the jury is notified of another verdict  dispatch: TestOutcomes
//	in an audit, two workers judge a submission differently:
//	    the first remains; repeated disagreement drains a worker    dispatch: TestWorkersThatDiffer
//	a worker sends the result of a job that it was not given:
//	    the result is discarded                                     dispatch: TestOutcomes
//	two servers with one database dispatch jobs:
//	    only the holder of the leader lease in the database does    dispatch: TestOneOfTwoLeads
//
// The chaos tests of cmd/judged: TestAServerDiesAtEachStep, TestAWorkerDiesAtEachStep,
// TestWorkersAreKilledAndFrozen, TestTheQueueIsDeleted and TestAcknowledgementsAreLost check that nothing is lost
// and nothing counts twice when processes are killed at any of these steps. For a queue that forgets, repeats and
// delays, this is checked by dispatch: TestABadQueue.
package host
