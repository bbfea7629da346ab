// Package host has no code: it says which part of a serving process knows what of a job, and
// whom to believe when two of them disagree.
//
//   - The database (store) is the truth: whether a job waits, is out, or has ended, and with which
//     result. Each generation of a job has its number, and each job a token.
//   - The queue (queue) holds a lease: which worker has a job, until it answers or is not heard of
//     for 20 s. It may lose all that it has at any time.
//   - A worker (worker) knows what it does. It names its jobs in a beat every 5 s, and keeps a result
//     on its disk until the server has taken it.
//   - The dispatcher (dispatch) has a view, in memory: who is here and says that it does what, who
//     failed at what, with whom others disagree. It is forgotten when the process ends.
//
// What happens where they disagree, and the tests that hold it:
//
//	the database says out, and neither the queue nor a worker has it:
//	    it waits again, after results that came before are taken    dispatch: TestTheQueueLostAll, TestResultsAreTakenFirst
//	the database says waits, and the queue has it already:
//	    it is marked as out, and is not laid in twice               dispatch: TestWhoLostTheLead
//	the database says ended, and the queue or a worker has it:
//	    it is taken out of the queue, and the worker stops it       dispatch: TestCancel, TestCancelledWhileItIsGivenOut
//	the queue has it, and gives it to no worker though some wait:
//	    the queue is made again                                     dispatch: TestAQueueThatHoldsJobsBack
//	the queue has it, and a worker that took it does not name it:
//	    it is given back                                            queue: TestAWorkerThatStartsAnewHoldsNothing
//	a worker names a job in its beats and does not get on with it:
//	    another does it; the worker's word for it counts no more    dispatch: TestAJobThatIsHeldForLong
//	two workers have a result of one job:
//	    the first stands; the jury is notified of another verdict   dispatch: TestOutcomes
//	two workers judge one submission otherwise, asked on purpose:
//	    the first stands, and several such take a worker out        dispatch: TestWorkersThatDiffer
//	a result of a worker that was not given the job:
//	    nothing of it is kept                                       dispatch: TestOutcomes
//	two servers on one database give out jobs:
//	    one has the lead, which the database knows                  dispatch: TestOneOfTwoLeads
//
// That nothing is lost and nothing counts twice while processes are killed at any of these steps is
// held by the chaos tests of cmd/judged: TestAServerDiesAtEachStep, TestAWorkerDiesAtEachStep,
// TestWorkersAreKilledAndFrozen, TestTheQueueIsDeleted, TestAcknowledgementsAreLost. So it
// is where the queue forgets, repeats and delays, by dispatch: TestABadQueue.
package host
