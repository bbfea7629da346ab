package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store/internal/query"
)

// DeletedName is the name of an erased account.
const DeletedName = "deleted user"

// ErrLastAdministrator means that the server would have no administrator with a password left.
var ErrLastAdministrator = errors.New("it is the last administrator account that has a password")

// Erase erases a person from the database. It returns the blobs that the person uploaded; the caller must then
// call RemoveBlobs to remove the blobs without other references. The account and its results are kept, without
// anything that identifies the person. The programs and their judgements are deleted, unless the results of their
// contest are final and its setting KeepSources is set. Pending judgements are canceled. The clarification
// requests are deleted, unless an answer was sent to all teams or the team has another member. Erase returns
// ErrNotFound if the account does not exist or is already erased.
func (s *Store) Erase(ctx context.Context, id string) (blobs []blob.Digest, err error) {
	a, err := s.Account(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := s.disableAndCancel(ctx, id); err != nil {
		return nil, err
	}
	err = s.tx(ctx, "erase a person", func(q *query.Queries) error {
		blobs = nil
		admins, err := q.CountAdmins(ctx)
		if err != nil {
			return err
		}
		if a.Role == "admin" && admins == 0 {
			return ErrLastAdministrator
		}
		// The new username is unique, and shorter than the limit of 40 characters.
		n, err := q.EraseAccount(ctx, query.EraseAccountParams{
			ID: id, Login: "deleted-" + id[len(id)-12:], Display: DeletedName, Erased: nullInt(s.now()),
		})
		if errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		erased, err := s.eraseOwned(ctx, q, id)
		if err != nil {
			return err
		}
		for _, d := range erased { // mark for PendingBlobRemovals
			if err := q.SeeBlob(ctx, string(d), 0); err != nil {
				return err
			}
		}
		blobs = erased
		return nil
	})
	if errors.Is(err, ErrLastAdministrator) {
		err = errors.Join(err, s.SetDisabled(ctx, id, a.Disabled))
	}
	if err != nil {
		return nil, err
	}
	return blobs, s.overwriteDeleted(ctx)
}

// eraseOwned removes everything that an account owns, and returns the blobs to which it referred.
func (s *Store) eraseOwned(ctx context.Context, q *query.Queries, id string) ([]blob.Digest, error) {
	photos, err := s.eraseTeams(ctx, q, id)
	if err != nil {
		return nil, err
	}
	ownPhotos, err := q.ErasePhotos(ctx, id)
	if err != nil {
		return nil, err
	}
	uploads, err := q.SentOnlyBy(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, erase := range []func(context.Context, string) error{q.EraseSessions, q.EraseIdentities, q.EraseTokens, q.EraseRoles,
		q.EraseQuestions, q.ErasePrints, q.ErasePersons, q.EraseContestAccounts, q.EraseExpectedAddresses, q.EraseReading,
		q.EraseClaims, q.EraseMembers, q.EraseAddresses, q.EraseUploads, q.EraseSent} {
		if err := erase(ctx, id); err != nil {
			return nil, err
		}
	}
	erased := photos
	for _, d := range append(ownPhotos, uploads...) {
		erased = append(erased, blob.Digest(d))
	}
	for _, erase := range []func(context.Context, *query.Queries, string) ([]blob.Digest, error){eraseSources, s.eraseBots,
		eraseGolfSubmissions, eraseWorkflowsOf} {
		blobs, err := erase(ctx, q, id)
		if err != nil {
			return nil, err
		}
		erased = append(erased, blobs...)
	}
	return erased, nil
}

// disableAndCancel disables an account and cancels its pending submissions.
func (s *Store) disableAndCancel(ctx context.Context, id string) error {
	if err := s.SetDisabled(ctx, id, true); err != nil {
		return err
	}
	open, _, err := s.PendingWork(ctx, id)
	if err != nil {
		return err
	}
	for _, one := range open {
		if _, err := s.CancelJob(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// PendingBlobRemovals returns the blobs of erased accounts that have not been passed to RemoveBlobs yet, for example because
// the server stopped during an erasure.
func (s *Store) PendingBlobRemovals(ctx context.Context) (blobs []blob.Digest, err error) {
	all, err := s.read.BlobsSeenBefore(ctx, 1, 1)
	for _, d := range all {
		blobs = append(blobs, blob.Digest(d))
	}
	return blobs, wrapError("read the blobs of people who are erased", err)
}

// PendingJobs returns the pending jobs of submissions. The arguments select the account by id, the problem by slug,
// and the contest by id. An empty argument means any.
func (s *Store) PendingJobs(ctx context.Context, account, problem, contest string) (jobs []string, err error) {
	if problem != "" {
		if problem, err = s.problemID(ctx, problem); err != nil {
			return nil, err
		}
	}
	jobs, err = s.read.OpenJobsOf(ctx, query.OpenJobsOfParams{Account: account, Problem: problem, Contest: contest})
	return jobs, wrapError("read the jobs that have not ended", err)
}

// PendingWork returns the pending jobs of an account's submissions, and the account's workflows that have not ended.
func (s *Store) PendingWork(ctx context.Context, id string) (jobs, workflows []string, err error) {
	if jobs, err = s.PendingJobs(ctx, id, "", ""); err != nil {
		return nil, nil, wrapError("read the open jobs of an account", err)
	}
	workflows, err = s.RunningWorkflowIDs(ctx, id, nil)
	return jobs, workflows, err
}

// eraseTeams removes the names, photos and persons of teams that have no other account. It returns the blobs of
// the photos.
func (s *Store) eraseTeams(ctx context.Context, q *query.Queries, account string) (photos []blob.Digest, err error) {
	teams, err := q.TeamsAlone(ctx, account)
	if err != nil {
		return nil, err
	}
	for _, t := range teams {
		n, err := q.SetTeam(ctx, query.SetTeamParams{
			ID: t.ID, Name: DeletedName, Hidden: t.Hidden, ExtraTime: t.ExtraTime, ExtraPenalty: t.ExtraPenalty,
			Label: t.Label, Organization: t.Organization, Location: t.Location,
		})
		if errIfUnchanged(n, err) != nil {
			return nil, errIfUnchanged(n, err)
		}
		teamPhotos, err := eraseMedia(ctx, q, t.Contest, media.Teams, t.ExtID)
		if err != nil {
			return nil, err
		}
		photos = append(photos, teamPhotos...)
		persons, err := q.PersonsOf(ctx, t.Contest)
		if err != nil {
			return nil, err
		}
		for _, r := range persons {
			p, err := person(r)
			if err == nil && slices.Equal(p.Teams, []string{t.ExtID}) { // a coach may have other teams
				teamPhotos, err = erasePerson(ctx, q, t.Contest, r.ID)
				photos = append(photos, teamPhotos...)
			}
			if err != nil {
				return nil, err
			}
		}
		if _, err := s.appendEvent(ctx, q, t.Contest, KindTeam, t.ID, OpUpdated); err != nil {
			return nil, err
		}
	}
	return photos, nil
}

// eraseSources removes the programs of an account.
func eraseSources(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	sources, err := q.SourcesOf(ctx, account)
	if err != nil {
		return nil, err
	}
	for _, r := range sources {
		var settings Settings
		if err := json.Unmarshal([]byte(r.Settings), &settings); err != nil {
			return nil, fmt.Errorf("read the settings of a contest: %w", err)
		}
		if settings.KeepSources && r.Finalized.Valid {
			continue
		}
		var files []job.File
		if err := fromJSON("the files of a submission", r.Files, &files); err != nil {
			return nil, err
		}
		for _, f := range files {
			blobs = append(blobs, f.Digest)
		}
		events, err := q.EventsOf(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			blobs = append(blobs, blob.Digest(e))
		}
		for _, erase := range []func(context.Context, string) error{q.EraseSubmission, q.EraseRemarks, q.EraseJudgements, q.EraseJobs} {
			if err := erase(ctx, r.ID); err != nil {
				return nil, err
			}
		}
		workflows, err := q.WorkflowsAbout(ctx, r.ID)
		if err != nil {
			return nil, err
		}
		for _, f := range workflows {
			workflowBlobs, err := eraseWorkflow(ctx, q, f)
			if err != nil {
				return nil, err
			}
			blobs = append(blobs, workflowBlobs...)
		}
	}
	return blobs, nil
}

// eraseWorkflowsOf removes all workflows of an account, and returns the blobs to which they referred.
func eraseWorkflowsOf(ctx context.Context, q *query.Queries, account string) (blobs []blob.Digest, err error) {
	workflows, err := q.WorkflowsOf(ctx, account)
	for _, f := range workflows {
		workflowBlobs, err := eraseWorkflow(ctx, q, f.ID)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, workflowBlobs...)
	}
	return blobs, err
}

// eraseWorkflow removes a workflow, its jobs and its results, and returns the blobs to which they referred. The
// workflow may be a verification, a tournament, a golf check, or an audit.
func eraseWorkflow(ctx context.Context, q *query.Queries, id string) (blobs []blob.Digest, err error) {
	specs, err := q.JobSpecsOf(ctx, nullText(id))
	if err != nil {
		return nil, err
	}
	for _, spec := range specs {
		var w job.Work
		if err := fromJSON("a job", spec, &w); err != nil {
			return nil, err
		}
		for _, f := range w.Files {
			blobs = append(blobs, f.Digest)
		}
	}
	events, err := q.PartEventsOf(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		blobs = append(blobs, blob.Digest(e))
	}
	return blobs, errors.Join(q.EraseParts(ctx, id), q.EraseJobsOfWorkflow(ctx, nullText(id)), q.EraseWorkflow(ctx, id))
}

// overwriteDeleted makes SQLite overwrite deleted data on disk, including old pages in its write-ahead log. PostgreSQL
// does so when it vacuums.
func (s *Store) overwriteDeleted(ctx context.Context) error {
	if s.postgres {
		return nil
	}
	var busy, pages, moved int64
	if err := s.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return wrapError("write the journal into the database", err)
	}
	return nil
}
