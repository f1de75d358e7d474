BEGIN TRANSACTION;
CREATE TABLE algorithms (
	id VARCHAR(36) NOT NULL, 
	project_id VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	create_time BIGINT NOT NULL, 
	document JSON NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE events (
	id INTEGER NOT NULL, 
	job_id VARCHAR(36) NOT NULL, 
	time BIGINT NOT NULL, 
	level VARCHAR(8) NOT NULL, 
	source VARCHAR(8) NOT NULL, 
	message TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "events" VALUES(1,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319396335,'Info','Job','The job has been created.');
INSERT INTO "events" VALUES(2,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319396355,'Info','Job','The job is running.');
INSERT INTO "events" VALUES(3,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319396355,'Info','Task','[worker-0] Training input(parameter name: data_url) Downloading.');
INSERT INTO "events" VALUES(4,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319396355,'Info','Task','[worker-0][time used: 0.000s] Download training input(parameter name: data_url) finished.');
INSERT INTO "events" VALUES(5,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319396355,'Info','Task','[worker-0] training started.');
INSERT INTO "events" VALUES(6,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319406355,'Info','Task','[worker-0] Training finished. Exit code 0.');
INSERT INTO "events" VALUES(7,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319406355,'Info','Task','[worker-0] Training output(parameter name: train_url) Uploading.');
INSERT INTO "events" VALUES(8,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319406355,'Info','Task','[worker-0][time used: 0.000s] Upload training output(parameter name: train_url) finished.');
INSERT INTO "events" VALUES(9,'c7520bd4-e744-8d6b-9be5-7d86eb5888cc',1795319406355,'Info','Job','The job is complete.');
INSERT INTO "events" VALUES(10,'c7520bda-8949-8d5b-8eee-c45cefaa8179',1795323399357,'Info','Job','The job has been created.');
INSERT INTO "events" VALUES(11,'c7520bda-8949-8d5b-8eee-c45cefaa8179',1795323399371,'Info','Job','The job is running.');
INSERT INTO "events" VALUES(12,'c7520bda-8949-8d5b-8eee-c45cefaa8179',1795323399371,'Info','Task','[worker-0] Training input(parameter name: data_url) Downloading.');
INSERT INTO "events" VALUES(13,'c7520bda-8949-8d5b-8eee-c45cefaa8179',1795323399371,'Info','Task','[worker-0][time used: 0.000s] Download training input(parameter name: data_url) finished.');
INSERT INTO "events" VALUES(14,'c7520bda-8949-8d5b-8eee-c45cefaa8179',1795323399371,'Info','Task','[worker-0] training started.');
CREATE TABLE jobs (
	id VARCHAR(36) NOT NULL, 
	project_id VARCHAR(64) NOT NULL, 
	user_id VARCHAR(64) NOT NULL, 
	name VARCHAR(64) NOT NULL, 
	kind VARCHAR(64) NOT NULL, 
	algorithm_name VARCHAR(64) NOT NULL, 
	node_count INTEGER NOT NULL, 
	flavor_id VARCHAR(64) NOT NULL, 
	priority INTEGER NOT NULL, 
	create_time BIGINT NOT NULL, 
	phase VARCHAR(16) NOT NULL, 
	secondary_phase VARCHAR(32) NOT NULL, 
	launched BOOLEAN NOT NULL, 
	attempt INTEGER NOT NULL, 
	retries INTEGER NOT NULL, 
	hung_task VARCHAR(64) NOT NULL, 
	queue_time BIGINT NOT NULL, 
	start_time BIGINT NOT NULL, 
	attempt_start BIGINT NOT NULL, 
	end_time BIGINT NOT NULL, 
	worked BIGINT NOT NULL, 
	history JSON NOT NULL, 
	head TEXT NOT NULL, 
	tail TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "jobs" VALUES('c7520bd4-e744-8d6b-9be5-7d86eb5888cc','6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34','9d8e7f6a5b4c4d3e8f2a1b0c9d8e7f6a','done','job','',1,'modelarts.vm.cpu.8u',2,1795319396335,'Completed','Completed',1,0,0,'',1795319396352,1795319396355,0,1795319406355,10000,'{"noted":{"worker-0":6},"node_counts":[[1795319396352,0],[1795319396355,1],[1795319406355,1],[1795319406355,0]],"task_statuses":[{"task":"worker-0","exit_code":0,"message":""}],"running_records":[{"start_at":1795319396,"start_type":"init_or_rescheduled","end_at":1795319406,"end_reason":"job completed"}]}','"kind":"job","metadata":{"id":"c7520bd4-e744-8d6b-9be5-7d86eb5888cc","name":"done","description":"first","create_time":1795319396335,"workspace_id":"0","ai_project":"default-ai-project","user_name":"developer","annotations":{"job_template":"Template DL","key_task":"worker","fault-tolerance/job-retry-num":"2","fault-tolerance/job-unconditional-retry":"true"}}','"algorithm":{"code_dir":"/code/train/","boot_file":"/code/train/train.py","parameters":[{"name":"lr","description":"","i18n_description":null,"value":"0.1"}],"inputs":[{"name":"data_url","local_dir":"/home/ma-user/modelarts/inputs/data_url_0","remote":{"obs":{"obs_url":"/code/data/"}}}],"outputs":[{"name":"train_url","local_dir":"/home/ma-user/modelarts/outputs/train_url_0","remote":{"obs":{"obs_url":"/code/out/"}},"mode":"upload_periodically","period":30}],"engine":{"engine_id":"pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64","engine_name":"PyTorch","engine_version":"pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64","usage":"training","support_groups":"public","tags":[{"key":"auto_search","value":"True"}],"v1_compatible":false,"run_user":"1102"},"environments":{"A":"b"}},"spec":{"resource":{"flavor_id":"modelarts.vm.cpu.8u","flavor_name":"Computing CPU(8U) instance","node_count":1,"flavor_detail":{"flavor_type":"CPU","billing":{"code":"modelarts.vm.cpu.8u","unit_num":1},"flavor_info":{"cpu":{"arch":"x86","core_num":8},"memory":{"size":32,"unit":"GB"},"disk":{"size":50,"unit":"GB"}}}},"log_export_path":{"obs_url":"/code/logs/"},"is_hosted_log":true,"auto_stop":{"time_unit":"HOURS","duration":2},"schedule_policy":{"priority":2}}');
INSERT INTO "jobs" VALUES('c7520bda-8949-8d5b-8eee-c45cefaa8179','6a0c2f4e8b1d4c3f9e5a7b2d1c8f0e34','9d8e7f6a5b4c4d3e8f2a1b0c9d8e7f6a','waiting','job','',1,'modelarts.vm.cpu.8u',2,1795323399357,'Running','Running',1,0,0,'',1795323399370,1795323399371,1795323399371,0,0,'{"noted":{"worker-0":3},"node_counts":[[1795323399370,0],[1795323399371,1]],"task_statuses":[],"running_records":[{"start_at":1795323399,"start_type":"init_or_rescheduled"}]}','"kind":"job","metadata":{"id":"c7520bda-8949-8d5b-8eee-c45cefaa8179","name":"waiting","description":"","create_time":1795323399357,"workspace_id":"0","ai_project":"default-ai-project","user_name":"developer","annotations":{"job_template":"Template DL","key_task":"worker","fault-tolerance/job-retry-num":"2","fault-tolerance/job-unconditional-retry":"true"}}','"algorithm":{"code_dir":"/code/train/","boot_file":"/code/train/train.py","parameters":[{"name":"lr","description":"","i18n_description":null,"value":"0.1"}],"inputs":[{"name":"data_url","local_dir":"/home/ma-user/modelarts/inputs/data_url_0","remote":{"obs":{"obs_url":"/code/data/"}}}],"outputs":[{"name":"train_url","local_dir":"/home/ma-user/modelarts/outputs/train_url_0","remote":{"obs":{"obs_url":"/code/out/"}},"mode":"upload_periodically","period":30}],"engine":{"engine_id":"pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64","engine_name":"PyTorch","engine_version":"pytorch_1.8.0-cuda_10.2-py_3.7-ubuntu_18.04-x86_64","usage":"training","support_groups":"public","tags":[{"key":"auto_search","value":"True"}],"v1_compatible":false,"run_user":"1102"},"environments":{"A":"b"}},"spec":{"resource":{"flavor_id":"modelarts.vm.cpu.8u","flavor_name":"Computing CPU(8U) instance","node_count":1,"flavor_detail":{"flavor_type":"CPU","billing":{"code":"modelarts.vm.cpu.8u","unit_num":1},"flavor_info":{"cpu":{"arch":"x86","core_num":8},"memory":{"size":32,"unit":"GB"},"disk":{"size":50,"unit":"GB"}}}},"log_export_path":{"obs_url":"/code/logs/"},"is_hosted_log":true,"auto_stop":{"time_unit":"HOURS","duration":2},"schedule_policy":{"priority":2}}');
CREATE TABLE removals (
	job_id VARCHAR(36) NOT NULL, 
	project_id VARCHAR(64) NOT NULL, 
	PRIMARY KEY (job_id)
);
CREATE TABLE searches (
	job_id VARCHAR(36) NOT NULL, 
	spec JSON NOT NULL, 
	attempt INTEGER NOT NULL, 
	ending JSON, 
	started_at FLOAT, 
	sizes JSON NOT NULL, 
	notes JSON NOT NULL, 
	outcome JSON, 
	analysis JSON, 
	PRIMARY KEY (job_id)
);
CREATE TABLE settings (
	name VARCHAR(64) NOT NULL, 
	value VARCHAR(256), 
	PRIMARY KEY (name)
);
INSERT INTO "settings" VALUES('layout','abefb14b');
INSERT INTO "settings" VALUES('token_key','0000000000000000000000000000000000000000000000000000000000000000');
CREATE TABLE trials (
	job_id VARCHAR(36) NOT NULL, 
	number INTEGER NOT NULL, 
	trial_id VARCHAR(8) NOT NULL, 
	attempt INTEGER NOT NULL, 
	config JSON NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	is_stopped BOOLEAN NOT NULL, 
	is_cut BOOLEAN NOT NULL, 
	started_at FLOAT, 
	ended_at FLOAT, 
	exit_code INTEGER, 
	iterations INTEGER NOT NULL, 
	reports JSON NOT NULL, 
	latest JSON NOT NULL, 
	matched BIGINT NOT NULL, 
	copied JSON NOT NULL, 
	PRIMARY KEY (job_id, number)
);
CREATE INDEX algorithm_times ON algorithms (project_id, create_time, id);
CREATE INDEX algorithm_names ON algorithms (project_id, name);
CREATE UNIQUE INDEX job_names ON jobs (project_id, name);
CREATE INDEX job_searches ON jobs (project_id, create_time, id, name, phase, kind, algorithm_name, user_id);
CREATE INDEX job_events ON events (job_id, time, id);
COMMIT;
